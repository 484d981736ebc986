// The ways of signing up with a password: by an address, by a phone number.
import type { Executor } from "../../postgres/executor.ts";
import type { UserRow } from "../account/queries.ts";
import type { Caller } from "../parts.ts";

/** What differs between an address and a phone number. */
export interface Way {
  readonly provider: "email" | "phone";
  readonly address: string;
  /** Settings say that nobody has to confirm it. */
  readonly isAtOnce: boolean;
  isConfirmed(user: UserRow): boolean;
  find(tx: Executor): Promise<UserRow | undefined>;
  identity(id: string, verified: boolean): Record<string, unknown>;
  checkInterval(tx: Executor, caller: Caller): Promise<void>;
  /** Sends what confirms it. Returns what the database keeps of its token. */
  send(tx: Executor, caller: Caller, user: UserRow): Promise<string>;
  /** Tells the owner that somebody signed up again. */
  tell(tx: Executor): Promise<void>;
}
