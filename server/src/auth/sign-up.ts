// Signing up with an address and a password. A new user is unconfirmed until the mailed link was opened; who signs up
// with a confirmed user's address is answered as if the user were new, so that addresses cannot be probed.
import { randomUUID } from "node:crypto";
import type { Executor } from "../postgres/database.ts";
import { audit } from "./audit.ts";
import { refuse } from "./errors.ts";
import { mailLinks, type PreparedLink, prepareLinks } from "./links.ts";
import { checkStrength } from "./passwords.ts";
import type { Asker, AuthParts } from "./parts.ts";
import {
  deleteUnconfirmedUser,
  findUserByEmail,
  findUserById,
  insertEmailIdentity,
  insertUser,
  type NewUser,
  type UserRow,
} from "./queries.ts";
import { parseEmail } from "./requests.ts";
import { inventedUser, userView, type UserView } from "./user-view.ts";

export interface SignUp {
  readonly email: string;
  readonly phone: string;
  readonly password: string;
  readonly data?: Record<string, unknown> | undefined;
}

export async function signUp(parts: AuthParts, asker: Asker, given: SignUp): Promise<UserView> {
  if (given.email === "" && given.phone === "") throw refuse("anonymous_provider_disabled");
  if (given.password === "") throw refuse("validation_failed", "Signup requires a valid password");
  checkStrength(given.password, parts.policy.passwordMinLength);
  if (given.email !== "" && given.phone !== "") {
    throw refuse("validation_failed", "Only an email address or phone number should be provided on signup.");
  }
  if (given.phone !== "") throw refuse("phone_provider_disabled");
  const email = parseEmail(given.email);
  const metadata = given.data ?? {};
  // Before looking for the user: known and unknown addresses cost the same.
  const encryptedPassword = await parts.passwords.hash(given.password);
  const now = new Date(parts.clock.now());

  const outcome = await parts.database.transaction(async (tx) => {
    const created = await createUser(tx, { email, encryptedPassword, metadata, emailConfirmedAt: null }, now);
    const user = created ?? (await findUserByEmail(tx, email, "for update"));
    if (!user) throw refuse("unexpected_failure", "Database error finding user");
    if (user.email_confirmed_at) {
      await audit(parts, tx, asker, "user_repeated_signup", user, { provider: "email" });
      return undefined;
    }
    // Somebody else's earlier sign-up keeps its password and metadata: nobody has shown whose address it is.
    const links = await prepareLinks(parts, tx, user, ["confirmation"]);
    await audit(parts, tx, asker, "user_confirmation_requested", user, { provider: "email" });
    return { user, links, isNew: created !== undefined };
  });
  if (!outcome) return inventedUser(randomUUID(), email, metadata, now);

  await mailConfirmation(parts, asker, outcome);
  const view = userView({ ...outcome.user, confirmation_sent_at: now });
  // The earlier metadata stays private until its owner has confirmed.
  return outcome.isNew ? view : { ...view, user_metadata: metadata };
}

/** A sign-up whose mail failed leaves nothing behind; a repeated one leaves the earlier sign-up as it was. */
async function mailConfirmation(
  parts: AuthParts,
  asker: Asker,
  { user, links, isNew }: { user: UserRow; links: PreparedLink[]; isNew: boolean },
): Promise<void> {
  if (isNew) await mailLinks(parts, asker, links, (tx) => deleteUnconfirmedUser(tx, user.id));
  else await mailLinks(parts, asker, links);
}

/** A user with its e-mail identity; undefined when the address (or a given id) is taken. */
export async function createUser(
  tx: Executor,
  user: Pick<NewUser, "email" | "encryptedPassword" | "emailConfirmedAt"> & {
    metadata: Record<string, unknown>;
    id?: string | undefined;
    role?: string | undefined;
    appMetadata?: Record<string, unknown> | undefined;
  },
  now: Date,
): Promise<UserRow | undefined> {
  const id = user.id ?? randomUUID();
  const identity = {
    sub: id,
    email: user.email,
    email_verified: user.emailConfirmedAt !== null,
    phone_verified: false,
  };
  const inserted = await insertUser(
    tx,
    {
      id,
      email: user.email,
      encryptedPassword: user.encryptedPassword,
      emailConfirmedAt: user.emailConfirmedAt,
      appMetadata: { provider: "email", providers: ["email"], ...user.appMetadata },
      userMetadata: { ...user.metadata, ...identity },
      role: user.role ?? "authenticated",
    },
    now,
  );
  if (!inserted) return undefined;
  await insertEmailIdentity(tx, id, identity, now);
  return findUserById(tx, id, "no lock");
}
