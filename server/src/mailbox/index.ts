// The mailbox replaces real mail while no SMTP_URL is set: it stores every mail, and has pages and JSON to read them. Nothing is
// ever sent on.
import type { Log } from "../platform/log.ts";
import type { KeepMail } from "../platform/mail.ts";
import { withEnvelope } from "./envelope.ts";
import { createReader } from "./message.ts";
import { timeIn } from "./page.ts";
import { createRoutes } from "./routes.ts";
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
  /** Stores a mail. */
  readonly keepMail: KeepMail;
  /** Stores a text message to a phone number among the mails. */
  keepText(to: string, text: string): Promise<void>;
  /** Answers /mailbox and everything below it, with that prefix in the URL. */
  fetch(request: Request): Promise<Response>;
  close(): Promise<void>;
}

export async function createMailbox({ directory, timeZone = "UTC", log }: MailboxDeps): Promise<Mailbox> {
  const store = await openStore(directory);
  const app = createRoutes({ store, reader: createReader(store), time: timeIn(timeZone), log });
  return {
    async keepMail(mail) {
      await store.save(withEnvelope(mail));
    },
    async keepText(to, text) {
      await store.save(textMessage(to, text));
    },
    fetch: async (request) => app.fetch(request),
    close: () => store.close(),
  };
}
