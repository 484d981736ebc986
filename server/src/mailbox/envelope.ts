// A stored mail begins with its envelope, as a header, so that hidden recipients can be found too.
import type { WrittenMail } from "../platform/mail-source.ts";

export const ENVELOPE_RECIPIENTS = "x-envelope-to";

/** Refuses what nodemailer sends to no mail server. */
export function withEnvelope({ source, recipients }: WrittenMail): Buffer {
  const invalid = recipients.find((address) => /[\r\n<>]/.test(address));
  if (invalid !== undefined) throw refusal(`Invalid recipient ${JSON.stringify(invalid)}`);
  if (recipients.length === 0) throw refusal("No recipients defined");
  return Buffer.from(`${ENVELOPE_RECIPIENTS}: ${recipients.join(", ")}\r\n${source}`);
}

const refusal = (message: string) => Object.assign(new Error(message), { code: "EENVELOPE" });
