// Whose password an account gets when its address is confirmed. The owner of an address may open a link that a stranger's
// sign-up has mailed: that must not bring the stranger's password to life. A sign-up's password and metadata count when
// whoever opens the link is known to be who signed up, and otherwise the account has none until a recovery sets one.
import type { Executor } from "../../postgres/database.ts";
import { requesterOf } from "../limits/address-limits.ts";
import { deleteSignUps, findSignUps, type SignUpClaim } from "../links/queries.ts";
import type { Caller } from "../parts.ts";
import type { UserRow } from "../account/queries.ts";

/** A token that a client sends on was asked for by it; a link may have been opened by anybody who reads the mail. */
export type Opening = "sent by a client" | "opened, with a flow" | "opened, without a flow";

export interface Claimed extends SignUpClaim {
  /** The link whose claim waits until its browser proves itself with the flow's secret. */
  readonly waiting?: string;
}

const NOTHING: SignUpClaim = { encryptedPassword: null, metadata: {} };

/** What the confirmed account gets. Undefined for an account that an administrator made: it keeps what it has. */
export async function claimOf(
  tx: Executor,
  caller: Caller,
  user: UserRow,
  token: string,
  opening: Opening,
): Promise<Claimed | undefined> {
  const signUps = await findSignUps(tx, user.id);
  if (signUps.length === 0) return undefined;
  const own = signUps.find(({ tokenHash }) => tokenHash === token);
  if (!own) return NOTHING;
  if (opening === "sent by a client") return own;
  if (opening === "opened, with a flow") return { ...NOTHING, waiting: token };
  // A client without a flow has no secret to prove itself with: it has to come from where the sign-up came from.
  return own.askedFrom !== "" && own.askedFrom === requesterOf(caller.ip) ? own : NOTHING;
}

/** The claim of a link whose browser has proved itself; undefined when there is none, or a password was set meanwhile. */
export async function takeWaitingClaim(
  tx: Executor,
  user: UserRow,
  isItsLink: (token: string) => boolean,
): Promise<SignUpClaim | undefined> {
  const claim = (await findSignUps(tx, user.id)).find(({ tokenHash }) => isItsLink(tokenHash));
  if (!claim) return undefined;
  await deleteSignUps(tx, user.id);
  return user.encrypted_password ? undefined : claim;
}
