import { afterEach, expect, it } from "vitest";
import { createThreads, type Threads, type ThreadsOptions } from "./threads.ts";

// What any work needs of them. Turns and bounds are tested with the work they were made for (auth/passwords/hashing-threads.test.ts).

let threads: Threads<string, string>;
afterEach(() => threads.close());

/** Answers a word with the word. "throw" throws, "end" ends the thread, "loop" never ends, "fill" takes all memory. */
const SCRIPT = `
  import { parentPort } from "node:worker_threads";
  parentPort.on("message", (word) => {
    if (word === "throw") throw new Error("cannot");
    if (word === "end") process.exit();
    if (word === "loop") for (;;);
    if (word === "fill") for (const kept = []; ; ) kept.push(Array(1e5).fill(kept.length));
    parentPort.postMessage(word);
  });
`;
const open = (options: Partial<ThreadsOptions>) =>
  createThreads<string, string>({
    script: new URL(`data:text/javascript,${encodeURIComponent(SCRIPT)}`),
    ...{ size: 1, mostWaiting: 10, crowded: () => new Error("crowded") },
    ...options,
  });
const HERE = { ip: "192.0.2.1", account: "ada" };
const run = (word: string) => threads.run(word, HERE);

it.each([
  ["throw", "cannot"],
  ["end", "ended before its job was done"],
  ["loop", "took longer than 3 s"],
  ["fill", "memory"],
])("loses only the job that lets a thread %s", async (word, reason) => {
  threads = open({ longestMs: 3000, resourceLimits: { maxOldGenerationSizeMb: 16 } });
  // The first starts the thread, and the second is sent ahead to it.
  const outcomes = await Promise.allSettled(["one", word, "two", "three"].map(run));
  expect(outcomes).toMatchObject([
    { value: "one" },
    { reason: { message: expect.stringContaining(reason) } },
    { value: "two" },
    { value: "three" },
  ]);
});

it("rejects what runs and what waits when it is closed, and takes nothing more", async () => {
  threads = open({});
  const outcomes = Promise.allSettled(["loop", "one", "two"].map(run));
  await threads.close();
  const stopping = { reason: { message: "The server is stopping" } };
  expect(await outcomes).toMatchObject([stopping, stopping, stopping]);
  await expect(run("later")).rejects.toThrow("The server is stopping");
});
