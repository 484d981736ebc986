// What phone numbers may be used for: the channel, and refusals where no texts can be sent.
import { refuse } from "../errors.ts";
import type { AuthParts } from "../parts.ts";

export type Channel = "sms" | "whatsapp";

/** Only Twilio offers WhatsApp. */
export function parseChannel({ settings }: AuthParts, given: string): Channel {
  if (given === "" || given === "sms") return "sms";
  if (given === "whatsapp" && settings.SMS_PROVIDER === "twilio") return "whatsapp";
  throw refuse(
    "validation_failed",
    "Invalid channel, supported values are 'sms' or 'whatsapp'. 'whatsapp' is only supported if Twilio or Twilio Verify is used as the provider.",
  );
}

/** Refuses, in the caller's GoTrue wording, where texts are switched off or nothing sends them. */
export function requirePhones({ settings, sendSms }: AuthParts, words: string, status?: number): void {
  if (settings.EXTERNAL_PHONE_ENABLED && (sendSms !== undefined || settings.SMS_AUTOCONFIRM)) return;
  throw refuse("phone_provider_disabled", words, status === undefined ? {} : { status });
}
