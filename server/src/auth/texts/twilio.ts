// Text messages through Twilio's REST API: one form post per message.
import { z } from "zod";
import type { SendSms } from "./send-sms.ts";
import type { AuthSettings } from "../settings/settings.ts";

type Account = Pick<
  AuthSettings,
  | "SMS_TWILIO_ACCOUNT_SID"
  | "SMS_TWILIO_AUTH_TOKEN"
  | "SMS_TWILIO_MESSAGE_SERVICE_SID"
  | "SMS_TWILIO_CONTENT_SID"
>;

const PATIENCE_MS = 10_000;
const API = "https://api.twilio.com";

const answerShape = z.object({
  sid: z.string().optional(),
  status: z.union([z.string(), z.number()]).optional(),
  error_code: z.number().nullish(),
  error_message: z.string().nullish(),
  message: z.string().optional(),
});

/** `api` is Twilio's own address, except in tests. */
export function createTwilio(account: Account, api = API): SendSms {
  const sid = account.SMS_TWILIO_ACCOUNT_SID;
  const address = `${api}/2010-04-01/Accounts/${encodeURIComponent(sid)}/Messages.json`;
  const credentials = Buffer.from(`${sid}:${account.SMS_TWILIO_AUTH_TOKEN}`).toString("base64");
  return async (to, text, how) => {
    const response = await fetch(address, {
      method: "POST",
      headers: { authorization: `Basic ${credentials}` },
      body: formOf(account, to, text, how),
      signal: AbortSignal.timeout(PATIENCE_MS),
      redirect: "error",
    });
    const answer = answerShape.safeParse(await response.json().catch(() => undefined)).data;
    if (!response.ok) throw new Error(`Twilio: ${answer?.message ?? `answered ${response.status}`}`);
    if (answer?.status === "failed" || answer?.status === "undelivered") {
      throw new Error(`Twilio: ${answer.error_message ?? answer.status} (${answer.error_code ?? "no code"})`);
    }
  };
}

/** As GoTrue sends it: a service or a number as the sender; over WhatsApp a template that was approved there. */
function formOf(account: Account, to: string, text: string, how: Parameters<SendSms>[2]): URLSearchParams {
  const sender = account.SMS_TWILIO_MESSAGE_SERVICE_SID;
  if (how?.channel !== "whatsapp") {
    return new URLSearchParams({ To: `+${to}`, Channel: "sms", From: sender, Body: text });
  }
  const isNumber = /^\+?[1-9]\d{1,14}$/.test(sender);
  return new URLSearchParams({
    To: `whatsapp:+${to}`,
    Channel: "whatsapp",
    From: isNumber ? `whatsapp:${sender}` : sender,
    ContentSid: account.SMS_TWILIO_CONTENT_SID,
    ContentVariables: JSON.stringify({ 1: how.code ?? "" }),
  });
}
