// Documents are drawn in separate threads: a page takes 20 ms of processor time, a file of a hundred tickets two seconds, and no
// other request may wait for it.
import { availableParallelism } from "node:os";
import { FunctionError } from "../../../../supabase/functions/_shared/errors.ts";
import type { PrintJob } from "../../../../supabase/functions/_shared/documents/print.ts";
import { createThreads, type ThreadsOptions, type Turn } from "../../../../server/src/platform/threads.ts";

export interface PrintingThreads {
  /** Rejects with a FunctionError: rate_limited when too many wait, unavailable when the thread died or took too long. */
  print(job: PrintJob, turn: Turn): Promise<Uint8Array<ArrayBuffer>>;
  close(): Promise<void>;
}

const RETRY_SECONDS = 5;

const DEFAULTS: ThreadsOptions = {
  script: new URL("./printing-thread.ts", import.meta.url),
  size: Math.max(1, Math.min(2, availableParallelism() - 1)),
  mostWaiting: 60,
  longestMs: 60_000,
  resourceLimits: { maxOldGenerationSizeMb: 256 },
  crowded: () =>
    new FunctionError(
      "rate_limited",
      "Many documents are being made right now. Please try again in a moment.",
      { details: { retry_after_seconds: RETRY_SECONDS } },
    ),
};

export function createPrintingThreads(options: Partial<ThreadsOptions> = {}): PrintingThreads {
  const threads = createThreads<PrintJob, Uint8Array<ArrayBuffer>>({ ...DEFAULTS, ...options });
  return {
    print: (job, turn) =>
      threads.run(job, turn).catch((error: unknown) => {
        if (error instanceof FunctionError) throw error;
        const message = "We couldn't make this document. Please try again in a minute.";
        throw new FunctionError("unavailable", message, { cause: error });
      }),
    close: () => threads.close(),
  };
}
