// A place in the waiting room as its holder keeps it: signed by us, bound to an account or to the hash of a visitor's secret, valid
// for 15 minutes. Hides the signature; SQL decides whether the place still exists.
import type { FunctionDeps } from "../deps.ts";
import { FunctionError } from "../errors.ts";
import { sameText } from "../same-text.ts";

/** The owner of a place. */
export type PlaceHolder = { readonly userId: string } | { readonly visitor: string };

const LIFETIME_SECONDS = 15 * 60;
/** Keeps anything else that the same key signs from passing for a place. */
const PURPOSE = "waiting room place:";
const SHAPE = /^([0-9a-f-]{36})\.([uv]:[0-9a-f-]{36,64})\.(\d{1,12})\.([0-9a-f]{64})$/;

export async function signPlace(
  { hmac }: Pick<FunctionDeps, "hmac">,
  id: string,
  holder: PlaceHolder,
  nowMs: number,
): Promise<string> {
  const said = `${id}.${subject(holder)}.${Math.floor(nowMs / 1000) + LIFETIME_SECONDS}`;
  return `${said}.${await hmac(`${PURPOSE}${said}`)}`;
}

/**
 * The id of a place that we signed for one of these holders.
 * @throws FunctionError invalid_place (forged, or another holder's) or place_gone (expired)
 */
export async function readPlace(
  { hmac }: Pick<FunctionDeps, "hmac">,
  shown: string,
  holders: readonly PlaceHolder[],
  nowMs: number,
): Promise<string> {
  const [, id = "", bound = "", expires = "", signature = ""] = SHAPE.exec(shown) ?? [];
  if (!sameText(signature, await hmac(`${PURPOSE}${id}.${bound}.${expires}`))) {
    throw new FunctionError("invalid_place", "This place in line is not valid. Please join the line again.");
  }
  if (!holders.some((holder) => subject(holder) === bound)) {
    throw new FunctionError("invalid_place", "This place in line belongs to someone else.");
  }
  if (Number(expires) * 1000 <= nowMs) throw placeGone("expired");
  return id;
}

export function placeGone(why: "used" | "expired"): FunctionError {
  const message =
    why === "used"
      ? "This place in line has been used. Please join the line again."
      : "This place in line has expired. Please join the line again.";
  return new FunctionError("place_gone", message, { details: { reason: why } });
}

function subject(holder: PlaceHolder): string {
  return "userId" in holder ? `u:${holder.userId}` : `v:${holder.visitor}`;
}
