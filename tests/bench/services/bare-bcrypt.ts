// One thread that compares passwords as fast as bcrypt can for a given time, and returns how many.
import { parentPort, workerData } from "node:worker_threads";
import bcrypt from "bcrypt";
import type { BareWork } from "./sign-ins.ts";

const { password, hash, seconds } = workerData as BareWork;
const until = performance.now() + seconds * 1000;
let compared = 0;
while (performance.now() < until) {
  if (!bcrypt.compareSync(password, hash)) throw new Error("bcrypt refused the right password.");
  compared += 1;
}
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort!.postMessage(compared);
