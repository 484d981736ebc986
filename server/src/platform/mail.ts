// Sends mail over SMTP. Without a configured SMTP server, main points it at the local mailbox, so the path is the same.
import { type Mail, smtpMail, smtpOptions } from "contract/mail";
import type { Transporter } from "nodemailer";
import { onFirstUse } from "./on-first-use.ts";

export interface Mailer {
  /** Resolves once the SMTP server has accepted the mail; rejects otherwise. */
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
  const transport = onFirstUse(async (): Promise<Transporter> => {
    const [{ createTransport }, url] = await Promise.all([import("nodemailer"), smtpUrl()]);
    return createTransport({ url, ...smtpOptions });
  });
  return {
    async send(mail) {
      const [open, answers] = await Promise.all([transport.get(), mail.replyTo ?? replyTo()]);
      await open.sendMail(smtpMail({ ...mail, replyTo: answers }, from));
    },
    close() {
      void transport.loaded()?.then((open) => open.close());
    },
  };
}
