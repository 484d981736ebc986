// Draws a document. What it needs is plain data, so that a host can have it drawn in another thread.
import type { Festival } from "contract/festival/facts";
import { printReceipt, type ReceiptOrder } from "./receipt.ts";
import { printTickets, type TicketPapers } from "./tickets.ts";

export type PrintJob =
  | ({ readonly document: "tickets" } & TicketPapers)
  | {
      readonly document: "receipt";
      readonly festival: Festival;
      readonly order: ReceiptOrder;
      readonly at: Date;
    };

/** The PDF. */
export type Print = (job: PrintJob) => Promise<Uint8Array<ArrayBuffer>>;

export const print: Print = (job) =>
  job.document === "tickets" ? printTickets(job) : printReceipt(job.festival, job.order, job.at);
