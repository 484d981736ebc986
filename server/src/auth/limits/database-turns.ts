// Auth accesses its own tables over the service's connections, which the turns of visitors' requests do not cover: one
// network's sign-ins, links or invitations would take them all. Here networks take turns for these connections too.
import { AsyncLocalStorage } from "node:async_hooks";
import type { ServiceContext } from "../../platform/http/context.ts";
import type { ServiceDatabase } from "../../postgres/executor.ts";
import { Turns } from "../../postgres/connections/turns.ts";

/** The service has six connections: two are left for its other work, however many people sign in. */
const TURNS = {
  connections: 4,
  perAddress: 2,
  waitMs: 10_000,
  waiting: { perAddress: 5_000, inAll: 10_000 },
};

export interface DatabaseTurns {
  readonly database: ServiceDatabase;
  /** The statements of `work` wait for the turn of the caller's network; the server's own requests wait only for a connection. */
  asked<T>(by: Pick<ServiceContext, "ip" | "reserved">, work: () => Promise<T>): Promise<T>;
}

export function createDatabaseTurns(database: ServiceDatabase): DatabaseTurns {
  const turns = new Turns(TURNS);
  const address = new AsyncLocalStorage<string>();

  // A client that disconnects keeps its place: a guess must not escape the count by hanging up.
  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const endTurn = await turns.take(address.getStore());
    try {
      return await work();
    } finally {
      endTurn();
    }
  }

  return {
    database: {
      query: (text, values) => inTurn(() => database.query(text, values)),
      run: (statement) => inTurn(() => database.run(statement)),
      transaction: (work) => inTurn(() => database.transaction(work)),
    },
    asked: ({ ip, reserved }, work) => address.run(reserved ? "" : ip, work),
  };
}
