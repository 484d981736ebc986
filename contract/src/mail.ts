// A mail as its author passes it to its sender, and the nodemailer options of both hosts of the functions.

export interface Mail {
  readonly to: string;
  /** Where an answer goes; without it, to the sender, whose address may be read by no one. */
  readonly replyTo?: string | undefined;
  /** Where a mail program ends further mails of this kind with one POST (RFC 8058). */
  readonly unsubscribe?: string | undefined;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  /** The HTML refers to inline pictures as `cid:NAME`. */
  readonly attachments?: readonly {
    filename: string;
    content: Uint8Array;
    contentType: string;
    cid?: string;
  }[];
}

/** Timeouts in milliseconds. By default nodemailer lets a silent server hold a mail for ten minutes. */
export const smtpOptions = {
  pool: true,
  /** Mails in flight at once. */
  maxConnections: 5,
  dnsTimeout: 10_000,
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 30_000,
} as const;

/** Converts a mail to nodemailer's format. */
export function smtpMail(mail: Mail, from: string) {
  return {
    from,
    // Not a plain string: nodemailer would parse it for several addresses.
    to: { name: "", address: mail.to },
    ...(mail.replyTo !== undefined && { replyTo: { name: "", address: mail.replyTo } }),
    headers: {
      // RFC 3834: an answering machine does not answer.
      "Auto-Submitted": "auto-generated",
      ...(mail.unsubscribe !== undefined && {
        "List-Unsubscribe": `<${mail.unsubscribe}>`,
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
      }),
    },
    subject: mail.subject,
    html: mail.html,
    text: mail.text,
    attachments: mail.attachments?.map((part) => ({
      ...part,
      content: base64(part.content),
      encoding: "base64",
    })),
  };
}

const base64 = (bytes: Uint8Array) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));

/**
 * Why the mail server refused the address for good: its 5xx answer, from a nodemailer error. Undefined for a failure that may be
 * temporary.
 */
export function refusedAddress(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || error.code !== "EENVELOPE") return undefined;
  // Without an answer, nodemailer itself found no address in the text.
  const answer = "responseCode" in error ? Number(error.responseCode) : 550;
  return answer >= 500 ? error.message : undefined;
}
