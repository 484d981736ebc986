// One thread of the pool in hashing-threads.ts: hashes or compares what it receives, one job after the other.
import { parentPort } from "node:worker_threads";
import bcrypt from "bcrypt";
import type { HashingAnswer, HashingWork } from "./hashing-threads.ts";

parentPort!.on("message", (work: HashingWork) => {
  const answer: HashingAnswer =
    "cost" in work
      ? { hash: bcrypt.hashSync(work.password, work.cost) }
      : { equal: bcrypt.compareSync(work.password, work.hash) };
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort!.postMessage(answer);
});
