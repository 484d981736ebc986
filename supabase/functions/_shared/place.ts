// A place in the waiting room as its holder carries it: signed by us, bound to an account or to the hash of a visitor's
// secret, good for a quarter of an hour. Hides the signature; whether the place is still there, SQL knows.
import { FunctionError } from "./handler.ts";

export type PlaceKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** Whom a place belongs to. */
export type PlaceHolder = { readonly userId: string } | { readonly visitor: string };

const LIFETIME_SECONDS = 15 * 60;
const SHAPE = /^([0-9a-f-]{36})\.([uv]:[0-9a-f-]{36,64})\.(\d{1,12})\.([0-9a-f]{64})$/;
const hmac = { name: "HMAC", hash: "SHA-256" } as const;

/** Derived from the service's own secret, so that there is no further one to keep. */
export async function placeKeyFrom(secret: string): Promise<PlaceKey> {
  const derived = await crypto.subtle.digest(
    "SHA-256",
    new TextEncoder().encode(`waiting room place:${secret}`),
  );
  return crypto.subtle.importKey("raw", derived, hmac, false, ["sign", "verify"]);
}

export async function signPlace(
  key: PlaceKey,
  id: string,
  holder: PlaceHolder,
  nowMs: number,
): Promise<string> {
  const said = `${id}.${subject(holder)}.${Math.floor(nowMs / 1000) + LIFETIME_SECONDS}`;
  return `${said}.${hex(await crypto.subtle.sign(hmac, key, new TextEncoder().encode(said)))}`;
}

/**
 * The id of the place that is shown, once it is certain that we gave it, and gave it to one of these holders.
 * Throws FunctionError: invalid_place (forged, or somebody else's) or place_gone.
 */
export async function readPlace(
  key: PlaceKey,
  shown: string,
  holders: readonly PlaceHolder[],
  nowMs: number,
): Promise<string> {
  const [, id = "", bound = "", expires = "", signature = ""] = SHAPE.exec(shown) ?? [];
  const said = new TextEncoder().encode(`${id}.${bound}.${expires}`);
  if (!(await crypto.subtle.verify(hmac, key, bytes(signature), said))) {
    throw new FunctionError("invalid_place", "This is not a place in our line. Please line up again.");
  }
  if (!holders.some((holder) => subject(holder) === bound)) {
    throw new FunctionError("invalid_place", "This place in line belongs to somebody else.");
  }
  if (Number(expires) * 1000 <= nowMs) throw placeGone("expired");
  return id;
}

export function placeGone(why: "used" | "expired"): FunctionError {
  const message =
    why === "used"
      ? "This place in line has been used. Please line up again."
      : "This place in line has expired. Please line up again.";
  return new FunctionError("place_gone", message, { details: { reason: why } });
}

/** What stands for the visitor's secret in the database and in the place. */
export async function visitorHash(secret: string): Promise<string> {
  return hex(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(secret)));
}

function subject(holder: PlaceHolder): string {
  return "userId" in holder ? `u:${holder.userId}` : `v:${holder.visitor}`;
}

function hex(buffer: ArrayBuffer): string {
  return Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function bytes(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
