// Whose password an account gets when its address is confirmed. A stranger can sign up with someone else's address, and its
// owner may open the mailed link. So a sign-up's password counts only with proof that the person confirming is the one who
// signed up: the flow's secret, or the sign-up's own code, typed while nobody else has requested one. Otherwise the account
// has no password until its owner sets one (decision 017).
import type { UserRow } from "../account/queries.ts";
import { deleteSignUps, findSignUps, type SignUpClaim, type SignUpRow } from "../links/queries.ts";
import type { AuthParts } from "../parts.ts";
import type { Executor } from "../../postgres/executor.ts";

export interface Claimed extends SignUpClaim {
  /** The link whose claim waits until its browser presents the flow's secret. */
  readonly waiting?: string;
}

/** By a link that starts a flow, by any other link, or by the code sent along with it. */
export type Confirmed = "flow" | "link" | "code";

const NOTHING: SignUpClaim = { encryptedPassword: null, metadata: {} };

/** What the confirmed account gets. Undefined for an account that an administrator created: it keeps what it has. */
export async function claimOf(
  { mailsAreOpen }: Pick<AuthParts, "mailsAreOpen">,
  tx: Executor,
  user: UserRow,
  token: string,
  by: Confirmed,
): Promise<Claimed | undefined> {
  const signUps = await findSignUps(tx, user.id);
  if (signUps.length === 0) return undefined;
  if (by === "flow") return { ...NOTHING, waiting: token };
  const own = signUps.find(({ tokenHash }) => tokenHash === token);
  // An invitation's link belongs to no sign-up.
  if (mailsAreOpen && (own || !user.invited_at)) return withPassword(own ?? signUps[0]!, signUps);
  // Whoever requested a code chose no password, and the mail went to the person confirming now.
  if (own?.encryptedPassword === null) return own;
  // Whoever types a code requested one themselves. If a stranger had requested one too, there would be two.
  return by === "code" && own && signUps.length === 1 ? own : NOTHING;
}

/** Someone who signs up and then requests a code keeps the password. */
const withPassword = (own: SignUpRow, signUps: readonly SignUpRow[]): SignUpClaim => ({
  ...own,
  encryptedPassword:
    own.encryptedPassword ??
    signUps.find(({ encryptedPassword }) => encryptedPassword !== null)?.encryptedPassword ??
    null,
});

/** The claim of a link whose browser has presented the secret; undefined when there is none, or a password was set meanwhile. */
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
