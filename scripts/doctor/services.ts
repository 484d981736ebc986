// Tries what the settings name: the mail server, the payment provider and the bucket. Tells settings that are refused from a
// service that does not answer.
import { smtpOptions } from "contract/mail";
import { createTransport } from "nodemailer";
import { S3Store } from "../../server/src/storage/bytes/s3-store.ts";
import type { Config } from "../../shop/src/config.ts";

export interface Fault {
  readonly service: keyof typeof SETTINGS;
  /** Whether it answered and refused the settings; otherwise it did not answer, or not as it should. */
  readonly isRefusal: boolean;
  readonly said: string;
}

/** How the operator knows each service, and where it is set. */
export const SETTINGS = {
  "The mail server": "SMTP_URL",
  Stripe: "STRIPE_SECRET_KEY",
  "The bucket's service": "the four S3_… settings",
} as const;

const PATIENCE_MS = 15_000;

/** `clockOffMs`: how far the payment provider's clock is ahead, if it answered. */
export async function tryServices(
  { smtpUrl, stripe, s3 }: Pick<Config, "smtpUrl" | "stripe" | "s3">,
  stripeUrl = "https://api.stripe.com",
): Promise<{ readonly faults: readonly Fault[]; readonly clockOffMs: number | undefined }> {
  const [mail, provider, bucket] = await Promise.all([
    smtpUrl && trySmtp(smtpUrl),
    stripe && tryStripe(stripe.secretKey, stripeUrl),
    s3 && tryBucket(s3),
  ]);
  const faults = [mail || undefined, provider?.fault, bucket].filter((fault) => fault !== undefined);
  return { faults, clockOffMs: provider?.clockOffMs };
}

/** Connects and signs in as the server does for each mail, and sends none. */
async function trySmtp(url: string): Promise<Fault | undefined> {
  const transport = createTransport({ url, ...smtpOptions });
  try {
    await inTime(transport.verify());
    return undefined;
  } catch (error) {
    const {
      code = "",
      responseCode = 0,
      message,
    } = error as Error & { code?: string; responseCode?: number };
    const isRefusal =
      ["EAUTH", "ENOAUTH", "ETLS"].includes(code) || responseCode >= 500 || /certificate|SSL/.test(message);
    return { service: "The mail server", isRefusal, said: wordsOf(error) };
  } finally {
    transport.close();
  }
}

/** The list of intents, which the server itself reads each minute: a restricted key needs the right to it. */
async function tryStripe(
  key: string,
  url: string,
): Promise<{ fault: Fault | undefined; clockOffMs: number | undefined }> {
  const fault = (isRefusal: boolean, said: string): Fault => ({ service: "Stripe", isRefusal, said });
  try {
    const asked = Date.now();
    const answer = await fetch(`${url}/v1/payment_intents?limit=1`, {
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    // Dates in answers have whole seconds.
    const off = Date.parse(answer.headers.get("date") ?? "") + 500 - (asked + Date.now()) / 2;
    const clockOffMs = Number.isNaN(off) ? undefined : off;
    const { status } = answer;
    const body = (await answer.json().catch(() => ({}))) as { error?: { message?: string } };
    if (status === 200) return { fault: undefined, clockOffMs };
    const said = `${status}${body.error?.message ? ` ${body.error.message}` : ""}`;
    return { fault: fault([400, 401, 403].includes(status), said), clockOffMs };
  } catch (error) {
    return { fault: fault(false, wordsOf(error)), clockOffMs: undefined };
  }
}

async function tryBucket(s3: NonNullable<Config["s3"]>): Promise<Fault | undefined> {
  // Listing uses neither of the two places.
  const store = new S3Store(s3, { staging: "", idFile: "" });
  try {
    await inTime(store.list("00"));
    return undefined;
  } catch (error) {
    const { name, $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } };
    const status = $metadata?.httpStatusCode;
    const isRefusal = status !== undefined && status >= 300 && status < 500;
    const said = status === undefined ? wordsOf(error) : `${status} ${name}: ${wordsOf(error)}`;
    return { service: "The bucket's service", isRefusal, said };
  }
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`no answer within ${PATIENCE_MS / 1000} seconds`)),
    PATIENCE_MS,
  );
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** What the system said, when the error itself is only about what was tried. */
export function wordsOf(error: unknown): string {
  const { message, code } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
  return message || code || String(error);
}
