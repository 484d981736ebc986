// The ways of signing up with a password: by address or by phone number.
import type { Executor } from "../../postgres/executor.ts";
import type { UserRow } from "../account/queries.ts";
import type { AuthCaller } from "../parts.ts";

/** What differs between an address and a phone number. */
export interface Way {
  readonly provider: "email" | "phone";
  readonly address: string;
  /** Whether the settings skip confirmation. */
  readonly isAtOnce: boolean;
  isConfirmed(user: UserRow): boolean;
  find(tx: Executor): Promise<UserRow | undefined>;
  identity(id: string, verified: boolean): Record<string, unknown>;
  checkInterval(tx: Executor, caller: AuthCaller): Promise<void>;
  /** Sends the confirmation. Returns the stored form of its token. */
  send(tx: Executor, caller: AuthCaller, user: UserRow): Promise<string>;
  /** Notifies the owner that someone signed up again. */
  notifyOwner(tx: Executor): Promise<void>;
}
