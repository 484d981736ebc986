// One replication connection: reads committed changes of the publication from the write-ahead log. Its slot is temporary, so
// that a crashed server leaves none behind to fill the disk. A PostgreSQL that vanishes without closing the connection is
// detected because it no longer answers.
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client, ClientConfig } from "pg";
import { LogicalReplicationService, Pgoutput, PgoutputPlugin } from "pg-logical-replication";
import { GuardedClient } from "../../../postgres/connections/guard.ts";

export type Tuple = Readonly<Record<string, string | null | undefined>>;

export interface Change {
  readonly type: "INSERT" | "UPDATE" | "DELETE";
  readonly relation: Pgoutput.MessageRelation;
  /** Text of each column of the new row, or of the key for DELETE. Undefined: stored out of line (TOAST) and unchanged. */
  readonly row: Tuple;
  /** Text of the former key where an UPDATE changed it. */
  readonly formerKey: Tuple | undefined;
  /** ISO 8601 with milliseconds. */
  readonly committedAt: string;
  /** The low 32 bits of the transaction's number. */
  readonly transaction: number;
}

export interface WalReader {
  onStart(): void;
  /** Changes of committed transactions in order. The connection waits while the promise is pending. */
  onChanges(changes: readonly Change[]): Promise<void> | void;
}

const PUBLICATION = "supabase_realtime";
const FLUSH = 500; // changes of one transaction held before they are passed on
const PATIENCE = 2_000; // milliseconds for a connection to close normally

/** Milliseconds of silence from PostgreSQL. It is asked for a reply three times within them. */
export const SILENCE = 15_000;

export interface WalOptions {
  readonly url: string;
  readonly silence: number;
}

/** Reads until `stopped` resolves. Rejects when the connection breaks or falls silent before that. */
export async function readWal(
  { url, silence }: WalOptions,
  reader: WalReader,
  stopped: Promise<void>,
): Promise<void> {
  const service = replicationService({
    connectionString: url,
    application_name: "server realtime",
    connectionTimeoutMillis: silence,
  });
  const watchdog = new Watchdog(service, silence);
  const broken = new Promise<never>((_, reject) => service.on("error", reject));
  service.on("start", () => {
    watchdog.start();
    reader.onStart();
  });
  const onData = collect(reader);
  service.on("data", (lsn: string, message: Pgoutput.Message) => watchdog.during(() => onData(lsn, message)));
  const plugin = new TextPlugin({ protoVersion: 1, publicationNames: [PUBLICATION] });
  const slot = `realtime_${randomBytes(8).toString("hex")}`;
  try {
    await Promise.race([service.subscribe(plugin, slot), broken, watchdog.silent, stopped]);
  } finally {
    watchdog.stop();
    // Once only: a second concurrent stop() of the library never returns.
    const closed = service.stop().catch(() => {});
    await Promise.race([closed, sleep(PATIENCE, undefined, { ref: false })]);
    plugin.abandon();
  }
}

/**
 * The library's service with our own client. The library adds an error listener to its client only once it is connected, and an
 * unhandled error before that ends the process.
 */
function replicationService(config: ClientConfig): LogicalReplicationService {
  const service = new LogicalReplicationService(config, {
    acknowledge: { auto: false, timeoutSeconds: 10 },
    flowControl: { enabled: true },
  });
  // Members that the library does not declare: the one that connects, and the one that holds the connection.
  return Object.assign(service, {
    async client() {
      const client = new GuardedClient({ ...config, replication: "database" } as ClientConfig);
      client.on("error", (error) => service.emit("error", error));
      Object.assign(service, { _client: client });
      await client.connect();
      const { connection } = client as unknown as { connection: unknown };
      Object.assign(service, { _connection: connection });
      return [client, connection];
    },
  });
}

/** Asks PostgreSQL for a keepalive, and rejects when none arrives. */
class Watchdog {
  readonly #service: LogicalReplicationService;
  readonly #silence: number;
  readonly #silent = Promise.withResolvers<never>();
  #timer: NodeJS.Timeout | undefined;
  #heardAt = 0;
  #lookedAt = 0;
  /** Messages being handled. The library reads nothing meanwhile, so no reply can be expected. */
  #handling = 0;

  constructor(service: LogicalReplicationService, silence: number) {
    this.#service = service;
    this.#silence = silence;
    this.#silent.promise.catch(() => {}); // nobody awaits it once the connection has ended for another reason
    service.on("heartbeat", () => this.#heard());
  }

  /** Rejects when PostgreSQL has been silent for too long. */
  get silent(): Promise<never> {
    return this.#silent.promise;
  }

  start(): void {
    this.#heard();
    this.#lookedAt = this.#heardAt;
    this.#timer = setInterval(() => this.#look(), this.#silence / 3);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async during(handle: () => Promise<void>): Promise<void> {
    this.#handling++;
    try {
      await handle();
    } finally {
      this.#handling--;
      this.#heard();
    }
  }

  #heard(): void {
    this.#heardAt = performance.now();
  }

  #look(): void {
    const now = performance.now();
    // If this process was suspended, what PostgreSQL sent meanwhile has not been read yet.
    const stoodStill = now - this.#lookedAt > this.#silence / 2;
    this.#lookedAt = now;
    if (this.#handling > 0) return;
    if (!stoodStill && now - this.#heardAt > this.#silence) {
      this.#silent.reject(new Error("PostgreSQL no longer answers on the replication connection"));
    } else {
      void this.#service.acknowledge(this.#service.lastLsn(), true);
    }
  }
}

/** Values stay text: their JSON depends on the table's shape. */
class TextPlugin extends PgoutputPlugin {
  #client: Client | undefined;

  override parse(buffer: Buffer): Pgoutput.Message {
    const message = super.parse(buffer);
    if (message.tag === "relation") for (const column of message.columns) column.parser = (text) => text;
    return message;
  }

  override async start(client: Client, slot: string): Promise<unknown> {
    this.#client = client;
    await client.query(`CREATE_REPLICATION_SLOT "${slot}" TEMPORARY LOGICAL pgoutput (SNAPSHOT 'nothing')`);
    return super.start(client, slot, "0/00000000");
  }

  /** Cuts the connection in case it does not close. */
  abandon(): void {
    const { connection } = (this.#client ?? {}) as { connection?: { stream: { destroy(): void } } };
    connection?.stream.destroy();
  }
}

/** Collects a transaction's changes and passes them on at its commit, or earlier if it is large. */
function collect({ onChanges }: Pick<WalReader, "onChanges">) {
  let committedAt = "";
  let transaction = 0;
  let changes: Change[] = [];
  const flush = () => {
    const batch = changes;
    changes = [];
    return batch.length > 0 ? onChanges(batch) : undefined;
  };

  return async (_lsn: string, message: Pgoutput.Message) => {
    switch (message.tag) {
      case "begin":
        committedAt = new Date(Number(message.commitTime) / 1000).toISOString();
        transaction = message.xid;
        break;
      case "insert":
        changes.push(toChange("INSERT", message.relation, message.new, undefined));
        break;
      case "update":
        changes.push(toChange("UPDATE", message.relation, message.new, message.key ?? message.old));
        break;
      case "delete":
        changes.push(toChange("DELETE", message.relation, (message.key ?? message.old)!, undefined));
        break;
      case "commit":
        await flush();
    }
    if (changes.length >= FLUSH) await flush();
  };

  function toChange(
    type: Change["type"],
    relation: Change["relation"],
    row: Tuple,
    former: Tuple | null | undefined,
  ) {
    return { type, relation, row, formerKey: former ?? undefined, committedAt, transaction };
  }
}
