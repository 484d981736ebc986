// The mailbox replaces real mail while no SMTP_URL is set: an SMTP server on loopback that stores what it receives, and pages
// and JSON to read it. Nothing is ever sent on.
import type { Log } from "../platform/log.ts";
import { createReader } from "./message.ts";
import { timeIn } from "./page.ts";
import { createRoutes } from "./routes.ts";
import { openSmtp } from "./smtp.ts";
import { openStore } from "./store.ts";
import { textMessage } from "./text-message.ts";

export type { Message } from "./message.ts";

export interface MailboxDeps {
  /** Where mails are kept; by default in a temporary folder that close() deletes. */
  readonly directory?: string;
  /** Of the times on its pages; UTC by default. */
  readonly timeZone?: string;
  readonly log: Log;
}

export interface Mailbox {
  /** Where to send mail: smtp://127.0.0.1:PORT. */
  readonly smtpUrl: string;
  /** Stores a text message to a phone number among the mails. */
  keepText(to: string, text: string): Promise<void>;
  /** Answers /mailbox and everything below it, with that prefix in the URL. */
  fetch(request: Request): Promise<Response>;
  close(): Promise<void>;
}

export async function createMailbox({ directory, timeZone = "UTC", log }: MailboxDeps): Promise<Mailbox> {
  const store = await openStore(directory);
  const smtp = await openSmtp(store, log);
  const app = createRoutes({ store, reader: createReader(store), time: timeIn(timeZone), log });
  return {
    smtpUrl: smtp.url,
    async keepText(to, text) {
      await store.save(textMessage(to, text));
    },
    fetch: async (request) => app.fetch(request),
    async close() {
      await smtp.close();
      await store.close();
    },
  };
}
