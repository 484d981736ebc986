// The port for text messages: whoever carries them to a phone.

/**
 * `to`: digits with the country's first, without a plus. Rejects when it could not be handed over. `how` tells of the code in
 * the text, for a channel that has its own template.
 */
export type SendSms = (
  to: string,
  text: string,
  how?: { readonly channel: "sms" | "whatsapp"; readonly code: string },
) => Promise<void>;
