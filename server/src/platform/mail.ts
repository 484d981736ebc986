// Sends mail over SMTP. Without a configured SMTP server, main points it at the local mailbox, so the path is the same.
import type { Mail } from "contract/mail";
import type { Transporter } from "nodemailer";
import { onFirstUse } from "./on-first-use.ts";

export interface Mailer {
  /** Resolves once the SMTP server has accepted the mail; rejects otherwise. */
  send(mail: Mail): Promise<void>;
  close(): void;
}

/** Mails under way at once. */
export const CONNECTIONS = 5;

/** Milliseconds: nodemailer's own would let a silent server hold a mail for ten minutes. */
const TIME_LIMITS = {
  dnsTimeout: 10_000,
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 30_000,
};

/** `smtpUrl` is asked with the first mail. */
export function createMailer(smtpUrl: () => Promise<string>, from: string): Mailer {
  // nodemailer is loaded with the first mail: starting the server does not wait for it.
  const transport = onFirstUse(async (): Promise<Transporter> => {
    const [{ createTransport }, url] = await Promise.all([import("nodemailer"), smtpUrl()]);
    return createTransport({ url, pool: true, maxConnections: CONNECTIONS, ...TIME_LIMITS });
  });
  return {
    async send(mail) {
      const open = await transport.get();
      await open.sendMail({
        from,
        // Not as text, in which nodemailer would look for several addresses.
        to: { name: "", address: mail.to },
        subject: mail.subject,
        html: mail.html,
        text: mail.text,
        attachments: mail.attachments?.map((part) => ({ ...part, content: Buffer.from(part.content) })),
      });
    },
    close() {
      void transport.loaded()?.then((open) => open.close());
    },
  };
}
