// What a client requests when it joins a channel. Requests for changes keep their wording and unknown members: the client
// compares what it gets back with what it sent.
import { crc32 } from "node:zlib";
import { z } from "zod";

/**
 * Requests for changes in one join, and their size, which allows lists of a hundred ids. They are kept as long as the channel.
 */
const MOST_CHANGES = 20;
const MOST_CHARACTERS = 16_384;

/** Milliseconds a join waits for changes to flow, as on the platform. */
const LONGEST_WAIT = 20_000;

const change = z.looseObject({
  event: z.enum(["*", "INSERT", "UPDATE", "DELETE"]),
  schema: z.string().nullish(),
  table: z.string().nullish(),
  filter: z.string().nullish(),
  select: z.unknown().optional(), // an invalid one is reported when the subscription is checked
});

const config = z.object({
  broadcast: z
    .object({
      ack: z.boolean().default(false),
      self: z.boolean().default(false),
      replay: z.unknown().optional(), // its content is checked after the right to read
      replication_ready: z.boolean().nullish(),
    })
    .nullish(),
  presence: z.object({ key: z.string().max(255).default(""), enabled: z.boolean().default(true) }).nullish(),
  postgres_changes: z
    .array(change)
    .max(MOST_CHANGES)
    .refine((changes) => JSON.stringify(changes).length <= MOST_CHARACTERS)
    .nullish(),
  postgres_changes_options: z
    .object({
      wait: z.boolean().default(false),
      timeout: z
        .number()
        .min(0)
        .default(15_000)
        .transform((asked) => Math.min(asked, LONGEST_WAIT)),
    })
    .nullish(),
  private: z.boolean().nullish(),
});

const join = z.object({ config: config.default({}), access_token: z.string().nullish() });

export type JoinRequest = z.infer<typeof join>;
export type ChangeRequest = z.infer<typeof change>;

export interface RequestedChange {
  readonly id: number;
  readonly request: ChangeRequest;
}

/**
 * Its weight in its address's share: the channel, each request for changes and each thousand characters of the requests count
 * one.
 */
export function weightOf({ config }: JoinRequest): number {
  const changes = config.postgres_changes ?? [];
  return 1 + changes.length + Math.floor(JSON.stringify(changes).length / 1000);
}

/** Undefined when the payload is not a join. */
export function parseJoin(payload: unknown): JoinRequest | undefined {
  const result = join.safeParse(payload ?? {});
  return result.success ? result.data : undefined;
}

/**
 * The client finds its callbacks by these ids: the same request gets the same number, and no number is repeated within a
 * channel.
 */
export function withIds(requests: readonly ChangeRequest[]): RequestedChange[] {
  const used = new Set<number>();
  return requests.map((request) => {
    let id = crc32(JSON.stringify(request)) & 0x7ffffff;
    while (id === 0 || used.has(id)) id++;
    used.add(id);
    return { id, request };
  });
}
