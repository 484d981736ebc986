import { describe, expect, it } from "vitest";
import { batched, type Batching } from "./batched.ts";

/** A database whose answers the test releases one batch at a time. */
function heldDatabase(options: Partial<Batching<string, string>> = {}) {
  const batches: { items: readonly string[]; answer: () => void }[] = [];
  const ask = batched<string, string>({
    run: (items) =>
      new Promise((resolve) => {
        batches.push({ items, answer: () => resolve(items.map((item) => `${item}!`)) });
      }),
    most: 64,
    ...options,
  });
  const sizes = () => batches.map(({ items }) => items.length);
  return { batches, ask, sizes };
}

/** A database that refuses every batch with this item in it. */
function poisonedDatabase(poison: string, error: Error) {
  const calls: (readonly string[])[] = [];
  const ask = batched<string, string>({
    most: 1000,
    run: async (items) => {
      calls.push(items);
      if (items.includes(poison)) throw error;
      return items.map((item) => `${item}!`);
    },
  });
  return { calls, ask };
}

const failure = (code: string) => Object.assign(new Error("refused"), { code });
const names = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`);
const turn = () => new Promise((done) => setImmediate(done));

describe("a batch", () => {
  it("of one is sent at once", async () => {
    const { ask, batches, sizes } = heldDatabase();
    const answer = ask("alone");
    expect(sizes()).toEqual([1]);
    batches[0]!.answer();
    expect(await answer).toBe("alone!");
  });

  it("fills while another is with the database, up to its limit", async () => {
    const { ask, batches, sizes } = heldDatabase();
    const answers = names(100).map(ask);
    for (let index = 0; index < 3; index++) {
      batches[index]!.answer();
      await turn();
    }
    expect(sizes()).toEqual([1, 64, 35]);
    expect(await Promise.all(answers)).toEqual(names(100).map((name) => `${name}!`));
  });

  it("leaves items that may not join for the next one, in their order", async () => {
    const { ask, batches } = heldDatabase({
      most: 2,
      admission: () => {
        const seen = new Set<string>();
        return (item) => !seen.has(item) && seen.add(item).has(item);
      },
    });
    const answers = ["first", "a", "a", "b", "c", "b"].map(ask);
    for (let index = 0; index < 4; index++) {
      batches[index]!.answer();
      await turn();
    }
    expect(batches.map(({ items }) => items)).toEqual([["first"], ["a", "b"], ["a", "c"], ["b"]]);
    await Promise.all(answers);
  });

  it("fails as a whole when it gets too few answers", async () => {
    const ask = batched<string, string>({ most: 64, run: async () => [] });
    await expect(ask("a")).rejects.toThrow("must answer every item");
  });
});

describe("a failing batch", () => {
  it.each(["22P05", "23503", "40P01"])("is halved after %s, until one item fails alone", async (code) => {
    const { ask, calls } = poisonedDatabase("n500", failure(code));
    const outcomes = await Promise.allSettled(names(1000).map(ask));
    expect(outcomes.flatMap(({ status }, index) => (status === "rejected" ? [index] : []))).toEqual([500]);
    expect(calls.length).toBeLessThan(24);
  });

  it.each([failure("57P01"), new Error("no SQLSTATE")])(
    "fails whole when no item is at fault: %s",
    async (error) => {
      const { ask, calls } = poisonedDatabase("n3", error);
      const outcomes = await Promise.allSettled(names(5).map(ask));
      expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", ...Array(4).fill("rejected")]);
      expect(calls).toHaveLength(2);
      expect(await ask("later")).toBe("later!");
    },
  );
});
