// Codes of an authenticator app (RFC 6238): six digits, SHA-1 and 30 seconds, which is all that every app can do.
import { Secret, TOTP } from "otpauth";

const PERIOD_SECONDS = 30;

export interface NewTotp {
  /** Base32. */
  readonly secret: string;
  /** What the QR code says. */
  readonly uri: string;
}

export function newTotp(issuer: string, account: string): NewTotp {
  const secret = new Secret({ size: 20 });
  // A colon separates issuer and account in the label.
  const label = { issuer: issuer.replaceAll(":", " "), label: account.replaceAll(":", " ") };
  return { secret: secret.base32, uri: new TOTP({ ...label, secret }).toString() };
}

/**
 * The 30 seconds (counted from 1970) whose code it is: the present ones or those beside them, since clocks differ. Undefined when
 * it is no such code.
 */
export function stepOfCode(secret: string, code: string, now: number): number | undefined {
  const token = code.trim();
  // Of digits from another script the library throws.
  if (!/^[0-9]{6}$/.test(token)) return undefined;
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  const delta = totp.validate({ token, window: 1, timestamp: now });
  return delta === null ? undefined : Math.floor(now / 1000 / PERIOD_SECONDS) + delta;
}

/** An SVG for an address of the form data:image/svg+xml;utf-8,…, in which a `#` would begin the fragment. */
export async function qrCodeOf(text: string): Promise<string> {
  const { default: QRCode } = await import("qrcode");
  const svg = await QRCode.toString(text, { type: "svg", errorCorrectionLevel: "M", margin: 2, width: 240 });
  return svg.replaceAll("#ffffff", "white").replaceAll("#000000", "black").trim();
}
