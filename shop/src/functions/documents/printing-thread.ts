// One thread of printing-threads.ts: draws the documents that it receives, one after the other. A document that cannot be drawn
// ends it.
import { constants, setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { print, type PrintJob } from "../../../../supabase/functions/_shared/documents/print.ts";

// Requests come first. Only Linux has a priority for each thread; elsewhere it would be the server's.
if (process.platform === "linux") setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

let last = Promise.resolve();
parentPort!.on("message", (job: PrintJob) => {
  last = last.then(async () => {
    const file = await print(job);
    parentPort!.postMessage(file, [file.buffer]);
  });
});
