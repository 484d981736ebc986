// A mail as it is handed from whoever writes it to whoever sends it, and what both hosts of the functions give nodemailer.

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  /** Inline pictures are referred to as `cid:NAME` from the HTML. */
  readonly attachments?: readonly {
    filename: string;
    content: Uint8Array;
    contentType: string;
    cid?: string;
  }[];
}

/** Of a connection to the mail server. In milliseconds: by itself nodemailer lets a silent server hold a mail for ten minutes. */
export const smtpOptions = {
  pool: true,
  /** Mails under way at once. */
  maxConnections: 5,
  dnsTimeout: 10_000,
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 30_000,
} as const;

/** The mail as nodemailer sends it. */
export function smtpMail(mail: Mail, from: string) {
  return {
    from,
    // Not as text, in which nodemailer would look for several addresses.
    to: { name: "", address: mail.to },
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
 * Why the mail server refused the address for good: the 5xx answer to it in an error of nodemailer's. Undefined for a failure that
 * may pass.
 */
export function refusedAddress(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || error.code !== "EENVELOPE") return undefined;
  // Without an answer, nodemailer itself found no address in the text.
  const answer = "responseCode" in error ? Number(error.responseCode) : 550;
  return answer >= 500 ? error.message : undefined;
}
