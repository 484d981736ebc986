import { describe, expect, it } from "vitest";
import type { Outcome } from "./queries.ts";
import { createSaveQueue } from "./save-queue.ts";

const outcome = (fingerprint: string, key?: string): Outcome => ({
  key,
  fingerprint,
  status: 200,
  body: {},
  entries: [],
});
const turn = () => new Promise((done) => setImmediate(done));

/** A database that answers only when told to, and refuses everything called "poison". */
function heldDatabase() {
  const batches: { names: string[]; answer: () => void }[] = [];
  const save = (outcomes: readonly Outcome[]) =>
    new Promise<{ open: boolean; saved: boolean }[]>((settle, fail) => {
      const names = outcomes.map(({ fingerprint }) => fingerprint);
      const answer = () =>
        names.includes("poison")
          ? fail(Object.assign(new Error("not to be kept"), { code: "22P05" }))
          : settle(names.map(() => ({ open: true, saved: true })));
      batches.push({ names, answer });
    });
  const answerAll = async () => {
    for (let index = 0; index < batches.length; index++) {
      batches[index]!.answer();
      await turn();
    }
  };
  return { batches, save, answerAll };
}

describe("new objects are stored", () => {
  it("at once when a call comes alone, and together when calls arrive while another batch is in progress", async () => {
    const { batches, save, answerAll } = heldDatabase();
    const keep = createSaveQueue({ save });
    const kept = Array.from({ length: 70 }, (_, index) => keep(outcome(`o${index}`)));
    expect(batches.map(({ names }) => names)).toEqual([["o0"]]);
    await answerAll();
    expect(batches.map(({ names }) => names.length)).toEqual([1, 64, 5]);
    expect(batches.flatMap(({ names }) => names)).toEqual(kept.map((_, index) => `o${index}`));
    await Promise.all(kept);
  });

  it("one call per key in a batch", async () => {
    const { batches, save, answerAll } = heldDatabase();
    const keep = createSaveQueue({ save });
    const kept = [outcome("first"), outcome("a", "key"), outcome("again", "key"), outcome("b", "other")].map(
      keep,
    );
    await answerAll();
    expect(batches.map(({ names }) => names)).toEqual([["first"], ["a", "b"], ["again"]]);
    await Promise.all(kept);
  });

  it("except what the database refuses, which fails alone", async () => {
    const { save, answerAll } = heldDatabase();
    const keep = createSaveQueue({ save });
    const kept = Promise.allSettled(["first", "a", "poison", "b"].map((name) => keep(outcome(name))));
    await answerAll();
    expect((await kept).map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
  });
});
