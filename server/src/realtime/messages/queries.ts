// The SQL of realtime.messages: what SQL broadcast, what is replayed, and how long it is kept. ../queries.ts decides who may
// read and write a topic.
import type { Database } from "../../postgres/database.ts";
import type { Broadcast } from "../sockets/protocol.ts";
import type { Room } from "../channels/fanout.ts";

export interface StoredMessage {
  readonly id: string;
  readonly room: Room;
  readonly broadcast: Broadcast;
}

interface Row {
  readonly id: string;
  readonly topic: string;
  readonly private: boolean;
  readonly event: string;
  readonly payload: string | null;
  readonly bytes: Buffer | null;
}

const COLUMNS = `id, topic, coalesce(private, false) as private, event, payload::text as payload, binary_payload as bytes`;
const IS_BROADCAST = "extension = 'broadcast' and event is not null";

const service = (database: Database) =>
  database.asService("who may hear a topic was decided when its channel was joined");

const toMessage = (row: Row, meta: Broadcast["meta"]): StoredMessage => ({
  id: row.id,
  room: { topic: `realtime:${row.topic}`, private: row.private },
  broadcast: {
    event: row.event,
    body: row.bytes ? { bytes: row.bytes } : { json: row.payload ?? "{}" },
    ...(meta && { meta }),
  },
});

/** In the order of the ids. */
export async function storedMessages(
  database: Database,
  ids: readonly string[],
): Promise<readonly StoredMessage[]> {
  const { rows } = await service(database).run<Row>({
    name: "stored_messages",
    text: `select ${COLUMNS} from realtime.messages where id = any ($1::uuid[]) order by array_position($1::uuid[], id)`,
    values: [ids],
  });
  return rows.map((row) => toMessage(row, { id: row.id }));
}

/** The ids and rooms of what SQL has broadcast since then, oldest first. `since` is in milliseconds. */
export async function broadcastSince(database: Database, since: number, most: number) {
  const { rows } = await service(database).query<{ id: string; topic: string; private: boolean }>(
    `select id, topic, coalesce(private, false) as private from realtime.messages
     where inserted_at >= to_timestamp($1::float8 / 1000) at time zone 'utc' and ${IS_BROADCAST} and broadcasted_at is null
     order by inserted_at limit $2`,
    [since, most],
  );
  return rows;
}

/** The last messages of a private topic, oldest first. `since` is in milliseconds. */
export async function messagesToReplay(
  database: Database,
  topic: string,
  since: number,
  limit: number,
): Promise<readonly StoredMessage[]> {
  const { rows } = await service(database).run<Row>({
    name: "messages_to_replay",
    text: `select ${COLUMNS} from realtime.messages
      where topic = $1 and private and inserted_at >= to_timestamp($2::float8 / 1000) at time zone 'utc' and ${IS_BROADCAST}
      order by inserted_at desc limit $3`,
    values: [topic, since, limit],
  });
  return rows.toReversed().map((row) => toMessage(row, { replayed: true, id: row.id }));
}

/** Three days, as on the platform. */
const KEPT = "72 hours";

/** Returns how many were deleted, at most `most`. */
export async function deleteOldMessages(database: Database, most: number): Promise<number> {
  const { rowCount } = await database.asService("nobody owns messages that are too old").query(
    `delete from realtime.messages where id = any (array(
       select id from realtime.messages where inserted_at < (now() at time zone 'utc') - $1::interval
       limit $2 for update skip locked))`,
    [KEPT, most],
  );
  return rowCount ?? 0;
}
