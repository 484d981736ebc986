// Sends mail over SMTP or, without a configured SMTP server, to the mailbox of this machine.
import { type Mail, smtpOptions } from "contract/mail";
import { loadMailWriter, type WrittenMail } from "./mail-source.ts";
import { onFirstUse } from "./on-first-use.ts";

export interface Mailer {
  /** Resolves once the mail is accepted; rejects otherwise. */
  send(mail: Mail): Promise<void>;
  close(): void;
}

/** Rejects as nodemailer does if a mail has no valid recipient. */
export type KeepMail = (mail: WrittenMail) => Promise<void>;

/** `route` is the address of an SMTP server, or where mails are kept. It is called with the first mail. */
export function createMailer(
  route: () => Promise<string | KeepMail>,
  from: string,
  /** For each mail that does not say itself where answers go. */
  replyTo: () => Promise<string | undefined> = async () => undefined,
): Mailer {
  // nodemailer loads with the first mail, so that the server's start does not wait for it.
  const opened = onFirstUse(async () => {
    const [write, to] = await Promise.all([loadMailWriter(), route()]);
    return { write, ...(typeof to === "string" ? await openSmtp(to) : { deliver: to, close: () => {} }) };
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

async function openSmtp(url: string): Promise<{ deliver: KeepMail; close(): void }> {
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
