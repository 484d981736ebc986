// A text message in the mailbox: a mail with a marker, so that it is listed, read and removed like a mail.
import { ENVELOPE_RECIPIENTS } from "./envelope.ts";

export const TEXT_MARK = "x-text-message";

/** `to`: digits starting with the country code, without a plus. */
export function textMessage(to: string, text: string): Uint8Array {
  const headers = [
    `${ENVELOPE_RECIPIENTS}: +${to.replace(/\D/g, "")}`,
    `${TEXT_MARK}: 1`,
    `Subject: =?utf-8?B?${Buffer.from("Text message").toString("base64")}?=`,
    "MIME-Version: 1.0",
    "Content-Type: text/plain; charset=utf-8",
    "Content-Transfer-Encoding: base64",
  ];
  const body = Buffer.from(text).toString("base64").replace(/.{76}/g, "$&\r\n");
  return Buffer.from(`${headers.join("\r\n")}\r\n\r\n${body}\r\n`);
}
