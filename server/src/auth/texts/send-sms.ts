// The port for text messages: whatever carries them to a phone.

/**
 * `to`: digits starting with the country code, without a plus. Rejects when the message could not be handed over. `how` holds
 * the code in the text, for a channel with its own template.
 */
export type SendSms = (
  to: string,
  text: string,
  how?: { readonly channel: "sms" | "whatsapp"; readonly code: string },
) => Promise<void>;
