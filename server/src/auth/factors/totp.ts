// Codes of an authenticator app (RFC 6238): six digits, SHA-1 and 30 seconds, the only settings that every app supports.
import { Secret, TOTP } from "otpauth";

const PERIOD_SECONDS = 30;

export interface NewTotp {
  /** Base32. */
  readonly secret: string;
  /** The content of the QR code. */
  readonly uri: string;
}

export function newTotp(issuer: string, account: string): NewTotp {
  const secret = new Secret({ size: 20 });
  // A colon separates issuer and account in the label.
  const label = { issuer: issuer.replaceAll(":", " "), label: account.replaceAll(":", " ") };
  return { secret: secret.base32, uri: new TOTP({ ...label, secret }).toString() };
}

/**
 * The 30-second step (counted from 1970) of this code: the current one or its neighbors, since clocks differ. Undefined when
 * the code fits none.
 */
export function stepOfCode(secret: string, code: string, now: number): number | undefined {
  const token = code.trim();
  // The library throws on digits from another script.
  if (!/^[0-9]{6}$/.test(token)) return undefined;
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  const delta = totp.validate({ token, window: 1, timestamp: now });
  return delta === null ? undefined : Math.floor(now / 1000 / PERIOD_SECONDS) + delta;
}

/** An SVG for an address of the form data:image/svg+xml;utf-8,…, where a `#` would start the fragment. */
export async function qrCodeOf(text: string): Promise<string> {
  const { default: QRCode } = await import("qrcode");
  const svg = await QRCode.toString(text, { type: "svg", errorCorrectionLevel: "M", margin: 2, width: 240 });
  return svg.replaceAll("#ffffff", "white").replaceAll("#000000", "black").trim();
}
