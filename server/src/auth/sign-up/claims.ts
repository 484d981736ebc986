// Whose password an account gets when its address is confirmed. A stranger can sign up with somebody else's address, and its
// owner may open the link that was mailed. So a sign-up's password and metadata count only for the browser that proves, with
// its flow's secret, that it signed up. Otherwise the account has no password until its owner sets one (decision 017).
import type { UserRow } from "../account/queries.ts";
import { deleteSignUps, findSignUps, type SignUpClaim } from "../links/queries.ts";
import type { AuthParts } from "../parts.ts";
import type { Executor } from "../../postgres/executor.ts";

export interface Claimed extends SignUpClaim {
  /** The link whose claim waits until its browser proves itself with the flow's secret. */
  readonly waiting?: string;
}

const NOTHING: SignUpClaim = { encryptedPassword: null, metadata: {} };

/** What the confirmed account gets. Undefined for an account that an administrator made: it keeps what it has. */
export async function claimOf(
  { mailsAreOpen }: Pick<AuthParts, "mailsAreOpen">,
  tx: Executor,
  user: UserRow,
  token: string,
  startsFlow: boolean,
): Promise<Claimed | undefined> {
  const signUps = await findSignUps(tx, user.id);
  const [newest] = signUps;
  if (!newest) return undefined;
  if (startsFlow) return { ...NOTHING, waiting: token };
  if (!mailsAreOpen) return NOTHING;
  return signUps.find(({ tokenHash }) => tokenHash === token) ?? newest;
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
