// Sends mail over SMTP. Without a configured SMTP server, main points it at the local mailbox, so the path is the same.
import { type Mail, smtpOptions } from "contract/mail";
import { loadMailWriter, type WrittenMail } from "./mail-source.ts";
import { onFirstUse } from "./on-first-use.ts";

export interface Mailer {
  /** Resolves once the mail is accepted; rejects otherwise. */
  send(mail: Mail): Promise<void>;
  close(): void;
}

/** `smtpUrl` is called with the first mail; `replyTo` for each that does not say itself where answers go. */
export function createMailer(
  smtpUrl: () => Promise<string>,
  from: string,
  replyTo: () => Promise<string | undefined> = async () => undefined,
): Mailer {
  // nodemailer loads with the first mail, so that the server's start does not wait for it.
  const opened = onFirstUse(async () => {
    const [write, url] = await Promise.all([loadMailWriter(), smtpUrl()]);
    return { write, ...(await openSmtp(url)) };
  });
  return {
    async send(mail) {
      const [{ write, deliver }, answers] = await Promise.all([opened.get(), mail.replyTo ?? replyTo()]);
      await deliver(write({ ...mail, replyTo: answers }, from));
    },
    close() {
      void opened.loaded()?.then(({ close }) => close());
    },
  };
}

async function openSmtp(url: string): Promise<{ deliver(mail: WrittenMail): Promise<void>; close(): void }> {
  const { createTransport } = await import("nodemailer");
  const transport = createTransport({ url, ...smtpOptions });
  return {
    async deliver({ source, sender, recipients }) {
      // Not plain strings: nodemailer would parse each for several addresses.
      const to = recipients.map((address) => ({ name: "", address }));
      await transport.sendMail({ envelope: { from: sender, to }, raw: source });
    },
    close: () => transport.close(),
  };
}
