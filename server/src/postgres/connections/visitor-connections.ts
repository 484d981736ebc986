// The connections for visitors' requests: an address and an account each wait for their turn, and when a client disconnects,
// its statement is cancelled unless it ends at once.
import type pg from "pg";
import { withClient } from "./pool.ts";
import type { RequestScope } from "../scope/request-scope.ts";
import { Turns, cutShort, departed } from "./turns.ts";

export interface TurnLimits {
  readonly connections: number;
  /** How many requests of one address may use the database at once; four tenths of the connections by default. */
  readonly perAddress?: number | undefined;
  /** The same for one account, over all its addresses; three tenths by default. */
  readonly perAccount?: number | undefined;
  /** Milliseconds a request waits for a connection; 10,000 by default. */
  readonly waitMs?: number | undefined;
  /**
   * Milliseconds after which a request is slow: slow requests get at most half of the connections while others wait. 1,000 by
   * default.
   */
  readonly slowMs?: number | undefined;
}

const WAIT_MS = 10_000;
const SLOW_MS = 1_000;
const WAITING = { perAddress: 5_000, inAll: 10_000 };
/**
 * Milliseconds that a statement may continue without its client. A connection whose statement was cancelled is closed, and
 * opening the next costs many times as much as most statements: clients that send a request and leave would keep the server
 * busy with nothing else.
 */
const LASTS_WITHOUT_CLIENT_MS = 500;
const QUERY_CANCELED = "57014";

/** `service` is the pool that sends cancellations. */
export function createVisitorConnections(requests: pg.Pool, service: pg.Pool, limits: TurnLimits) {
  const { connections, waitMs = WAIT_MS, slowMs = SLOW_MS } = limits;
  const perAddress = limits.perAddress ?? Math.ceil(connections * 0.4);
  const perAccount = limits.perAccount ?? Math.ceil(connections * 0.3);
  const addresses = new Turns({ connections, perAddress, waitMs, slowMs, waiting: WAITING });
  // No total: each account is limited on its own, and the turns of addresses limit them all.
  const accounts = new Turns({
    connections: Infinity,
    perAddress: perAccount,
    waitMs,
    waiting: WAITING,
  });

  /** Takes the account's turn first, so that a request waiting for it delays nobody else at the same address. */
  async function takeTurns(scope: RequestScope, onCutShort: () => void): Promise<() => void> {
    const { claims, address, departure } = scope;
    if (address === undefined || !claims.sub) return addresses.take(address, departure, onCutShort);
    const endOfAccount = await accounts.take(claims.sub, departure);
    try {
      const endOfAddress = await addresses.take(address, departure, onCutShort);
      return () => {
        endOfAddress();
        endOfAccount();
      };
    } catch (error) {
      endOfAccount();
      throw error;
    }
  }

  /** Runs `work` on a connection once it is the scope's turn. */
  return async function use<T>(scope: RequestScope, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const { departure } = scope;
    if (departure?.gone) throw departed();
    let wasCut = false;
    let stop = () => {};
    const endTurns = await takeTurns(scope, () => {
      wasCut = true;
      stop();
    });
    try {
      return await withClient(requests, (client, giveUp) => {
        // Either may have happened while the connection was being opened.
        if (departure?.gone) throw departed();
        if (wasCut) throw cutShort();
        stop = () => giveUp(cancel(service, client));
        let last: NodeJS.Timeout | undefined;
        const stopListening = departure?.onGone(() => {
          last = setTimeout(() => stop(), LASTS_WITHOUT_CLIENT_MS);
        });
        return work(client).finally(() => {
          clearTimeout(last);
          stopListening?.();
          stop = () => {};
        });
      });
    } catch (error) {
      throw wasCut && (error as { code?: string }).code === QUERY_CANCELED ? cutShort() : error;
    } finally {
      endTurns();
    }
  };
}

const cancel = (service: pg.Pool, client: pg.PoolClient) =>
  withClient(service, (other) =>
    other.query("select pg_cancel_backend($1)", [(client as unknown as { processID: number }).processID]),
  );
