// What all sockets and requests of one address share: capacity for sockets and channels, a message rate, and turns at the
// database.
import { Turns } from "../../postgres/connections/turns.ts";
import { AccessError } from "../access.ts";
import { type AddressLimits, CHECKS, REFUSED_JOINS } from "./limits.ts";
import { createFading, createRates, type Fading } from "../../platform/rates.ts";
import { createShares, type Share } from "../../platform/shares.ts";

export interface Address {
  readonly ip: string;
  readonly sockets: Share;
  /** Channels and their requests for changes. */
  readonly joined: Share;
  /** Counts messages. Returns false, at no cost, when the address has used up its share. */
  maySend(messages?: number): boolean;
  /** Counts a join. Returns false when the address has joined too often within this second. */
  mayJoin(): boolean;
  /** The same for new sockets. */
  mayOpen(): boolean;
  /** Refused joins of its sockets, including closed ones. */
  readonly refusedJoins: Fading;
  /** Runs checks that query the database when it is this address's turn. Throws AccessError when too many wait. */
  inTurn<T>(check: () => Promise<T>): Promise<T>;
}

export type AddressOf = (ip: string) => Address;

export function createAddresses(limits: AddressLimits): AddressOf {
  const sockets = createShares(limits.socketsPerAddress);
  const joined = createShares(limits.joinedPerAddress);
  const sent = createRates(limits.messagesPerSecondOfAddress);
  const joins = createRates(limits.joinsPerSecondOfAddress);
  const opened = createRates(limits.joinsPerSecondOfAddress);
  const refusedJoins = createFading(REFUSED_JOINS.remembered);
  const turns = new Turns(CHECKS);

  async function inTurn<T>(ip: string, check: () => Promise<T>): Promise<T> {
    let endTurn: () => void;
    try {
      endTurn = await turns.take(ip);
    } catch (cause) {
      throw new AccessError("JoinRateLimitReached: Too many joins wait to be checked", { cause });
    }
    try {
      return await check();
    } finally {
      endTurn();
    }
  }

  return (ip) => ({
    ip,
    sockets: sockets.of(ip),
    joined: joined.of(ip),
    maySend: (messages) => sent(ip).count(messages),
    mayJoin: () => joins(ip).count(),
    mayOpen: () => opened(ip).count(),
    refusedJoins: refusedJoins.of(ip),
    inTurn: (check) => inTurn(ip, check),
  });
}
