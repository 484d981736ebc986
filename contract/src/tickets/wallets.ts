// The organizer's keys for wallets, from settings. The site does not offer a wallet without keys.

/**
 * From Apple's developer account: a Pass Type ID, its certificate and key, and Apple's intermediate certificate. PEM.
 */
export interface AppleWallet {
  readonly passType: string;
  readonly team: string;
  readonly certificate: string;
  readonly key: string;
  readonly wwdr: string;
}

/** A Google Wallet issuer: its number, and a service account that may issue for it. */
export interface GoogleWallet {
  readonly issuer: string;
  readonly account: string;
  /** PKCS #8 in PEM. */
  readonly privateKey: string;
}

export interface Wallets {
  readonly apple?: AppleWallet | undefined;
  readonly google?: GoogleWallet | undefined;
}

const appleNames = [
  "APPLE_WALLET_PASS_TYPE",
  "APPLE_WALLET_TEAM",
  "APPLE_WALLET_CERTIFICATE",
  "APPLE_WALLET_KEY",
  "APPLE_WALLET_WWDR",
] as const;
const googleNames = ["GOOGLE_WALLET_ISSUER", "GOOGLE_WALLET_ACCOUNT"] as const;

/** @throws Error that names the setting, when a wallet is half configured or a key is not valid */
export function walletsOf(read: (name: string) => string | undefined): Wallets {
  return { apple: appleOf(read), google: googleOf(read) };
}

function appleOf(read: (name: string) => string | undefined): AppleWallet | undefined {
  const values = together("Apple Wallet", appleNames, read);
  if (!values) return undefined;
  const [passType, team, ...files] = values as [string, string, string, string, string];
  const [certificate, key, wwdr] = files.map((file, index) => pem(appleNames[index + 2]!, file));
  return { passType, team, certificate: certificate!, key: key!, wwdr: wwdr! };
}

function googleOf(read: (name: string) => string | undefined): GoogleWallet | undefined {
  const values = together("Google Wallet", googleNames, read);
  if (!values) return undefined;
  const [issuer, account] = values as [string, string];
  try {
    const { client_email, private_key } = JSON.parse(plain(account)) as Record<string, unknown>;
    if (typeof client_email === "string" && typeof private_key === "string")
      return { issuer, account: client_email, privateKey: private_key };
  } catch {
    // reported below
  }
  throw new Error("GOOGLE_WALLET_ACCOUNT: must be the service account's key file, as JSON or in base64");
}

function together(
  what: string,
  names: readonly string[],
  read: (name: string) => string | undefined,
): string[] | undefined {
  const missing = names.filter((name) => !read(name));
  if (missing.length === names.length) return undefined;
  if (missing.length > 0) throw new Error(`${what} is only half configured: ${missing.join(", ")} missing`);
  return names.map((name) => read(name)!);
}

function pem(name: string, file: string): string {
  const text = plain(file).replaceAll("\\n", "\n");
  if (!text.includes("-----BEGIN ")) throw new Error(`${name}: must be a PEM file, as text or in base64`);
  return text;
}

/** A setting holds a file with several lines as base64. */
function plain(file: string): string {
  return /^[A-Za-z0-9+/=\s]+$/.test(file) ? atob(file) : file;
}
