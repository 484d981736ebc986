import { afterEach, expect, it } from "vitest";
import type { PrintJob } from "../../../../supabase/functions/_shared/documents/print.ts";
import { FunctionError } from "../../../../supabase/functions/_shared/errors.ts";
import { createPrintingThreads, type PrintingThreads } from "./printing-threads.ts";

// What is drawn: tickets/order-documents.test.ts. Turns: auth/passwords/hashing-threads.test.ts.

let threads: PrintingThreads;
afterEach(() => threads.close());

const HERE = { ip: "192.0.2.1", account: "ada" };
const broken = { document: "receipt" } as PrintJob;

it("says that a document cannot be made right now when its thread died, and keeps the cause for the log", async () => {
  threads = createPrintingThreads();
  const failure = await threads.print(broken, HERE).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(FunctionError);
  expect(failure).toMatchObject({ code: "unavailable", cause: expect.any(TypeError) });
});

it("refuses the account with the most waiting when too many wait", async () => {
  threads = createPrintingThreads({ size: 1, mostWaiting: 2 });
  const outcomes = await Promise.allSettled([
    ...Array.from({ length: 5 }, () => threads.print(broken, HERE)),
    threads.print(broken, { ip: "192.0.2.2", account: "bea" }),
  ]);
  const codes = outcomes.map((outcome) => outcome.status === "rejected" && outcome.reason.code);
  // Two have a thread, and two wait: one of each account.
  const refused = "rate_limited";
  expect(codes).toEqual(["unavailable", "unavailable", "unavailable", refused, refused, "unavailable"]);
});
