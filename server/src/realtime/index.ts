// The realtime service: Phoenix channels over WebSockets and broadcasts over HTTP, which realtime-js expects under
// /realtime/v1. Hides protocol, rooms, presence and the write-ahead log behind handleUpgrade and fetch. Files:
// sockets/sockets.ts opens a socket, sockets/socket.ts reads its frames, channels/channel.ts is what it joins.
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Clock } from "../platform/clock.ts";
import type { Service } from "../platform/http/context.ts";
import type { Tokens } from "../platform/keys/jwt.ts";
import type { Log } from "../platform/log.ts";
import type { Database } from "../postgres/database.ts";
import { createAccess } from "./access.ts";
import { createAddresses } from "./limits/addresses.ts";
import { createChanges } from "./changes/index.ts";
import { watchEndings } from "./channels/endings.ts";
import { createFanout } from "./channels/fanout.ts";
import { type Limits, LIMITS } from "./limits/limits.ts";
import { createStoredBroadcasts } from "./messages/stored-broadcasts.ts";
import { keepMessagesFew } from "./messages/upkeep.ts";
import { createPresence } from "./channels/presence.ts";
import { createPublisher } from "./publisher.ts";
import { mayJoinLive } from "./queries.ts";
import { connectPeers } from "./peers/index.ts";
import { PEER_SILENCE } from "./peers/peers.ts";
import { createRoutes, renderError } from "./routes.ts";
import { Sockets } from "./sockets/sockets.ts";

export interface RealtimeDeps {
  readonly database: Database;
  /** Connection string of a role that may replicate; used while there are subscriptions to changes. */
  readonly replicationUrl: string;
  readonly tokens: Tokens;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits?: Partial<Limits>;
  /** Milliseconds of silence from PostgreSQL before the change stream reconnects. */
  readonly replicationSilence?: number;
  /** Milliseconds of silence from another server process before it counts as gone. */
  readonly peerSilence?: number;
  /** Whether visitors without an account may broadcast on public channels; true by default. */
  readonly anonymousBroadcast?: boolean;
}

export interface Realtime extends Service {
  /** Takes over a request for /realtime/v1/websocket; answers 401 to an unknown API key. */
  handleUpgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    context: { readonly ip: string },
  ): void;
  /** Closes every socket and the replication connection. */
  close(): Promise<void>;
}

export function createRealtime(deps: RealtimeDeps): Realtime {
  const { database, replicationUrl, log, anonymousBroadcast = true } = deps;
  const limits = { ...LIMITS, ...deps.limits };
  const toPeers = (message: object) => peers.send(message);
  const fanout = createFanout(toPeers);
  const presence = createPresence(limits.presence, toPeers);
  const stored = createStoredBroadcasts(database, fanout, log);
  const peers = connectPeers(
    { database, url: replicationUrl, log, silence: deps.peerSilence ?? PEER_SILENCE },
    { fanout, presence, stored },
  );
  const addressOf = createAddresses(limits);
  const changes = createChanges({ database, replicationUrl, silence: deps.replicationSilence, log });
  const access = createAccess(deps.tokens, deps.clock, (claims) => mayJoinLive(database, claims));
  const channelDeps = {
    ...{ database, access, fanout, presence, changes, anonymousBroadcast, log },
    replicationReady: peers.ready,
  };
  const sockets = new Sockets(channelDeps, limits, addressOf);
  const endings = watchEndings({ database, url: replicationUrl, log }, () => sockets.channels());
  const stopUpkeep = keepMessagesFew(database, log);
  const { payload } = limits;
  const app = createRoutes(
    createPublisher({ database, fanout, addressOf, anonymousBroadcast, payload }),
    log,
  );

  return {
    fetch: async (request, context) => app.fetch(request, { context }),
    renderError,
    handleUpgrade: (request, socket, head, { ip }) => sockets.upgrade(request, socket, head, ip),
    async close() {
      stopUpkeep();
      stored.close();
      sockets.close();
      await Promise.all([changes.close(), endings.close(), peers.close()]);
      sockets.terminate();
    },
  };
}
