// Hostile WebSockets: a proper upgrade, then frames that are valid, mutated, cut off, or noise. The only expectation is that
// the server survives them.
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createRandom, type Random } from "../simulator/random.ts";
import { bent } from "./bodies.ts";
import { RAW_JSON, TEXTS } from "./texts.ts";
import type { World } from "./world.ts";

const EVENTS = [
  "phx_join",
  "phx_leave",
  "heartbeat",
  "access_token",
  "broadcast",
  "presence",
  "postgres_changes",
];
const OPCODES = [1, 1, 1, 1, 1, 1, 2, 2, 0, 8, 9, 10, 3, 15];

export async function hostileSocket(seed: number, number: number, world: World, port: number): Promise<void> {
  const random = createRandom(Math.imul(seed + 1, 0x27d4eb2f) ^ number);
  const socket = connect({ host: "127.0.0.1", port, noDelay: true }).on("error", () => {});
  const version = random.pick(["1.0.0", "2.0.0", "2.0.0", "9"])!;
  socket
    .resume()
    .write(
      [
        `GET /realtime/v1/websocket?vsn=${version}&apikey=${world.anonKey} HTTP/1.1`,
        "host: localhost",
        `x-forwarded-for: 10.1.${random.below(64)}.7`,
        "connection: upgrade",
        "upgrade: websocket",
        "sec-websocket-version: 13",
        "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
        "",
        "",
      ].join("\r\n"),
    );
  await sleep(30);
  for (let n = random.below(12); n >= 0 && !socket.destroyed; n--)
    socket.write(frame(random, world, version));
  await sleep(50);
  socket.destroy();
}

function frame(random: Random, world: World, version: string): Buffer {
  if (random.chance(0.05))
    return Buffer.from(Array.from({ length: random.below(60) }, () => random.below(256)));
  const opcode = random.pick(OPCODES)!;
  const payload = opcode === 2 ? broadcast(random) : Buffer.from(message(random, world, version), "utf8");
  const claimed = random.chance(0.03) ? payload.length + 1_000_000 : payload.length;
  const first = (random.chance(0.05) ? 0x70 : 0x80) | opcode;
  const length =
    claimed < 126
      ? Buffer.from([first, 0x80 | claimed])
      : claimed < 65_536
        ? Buffer.from([first, 0x80 | 126, claimed >> 8, claimed & 255])
        : Buffer.from([
            first,
            0x80 | 127,
            0,
            0,
            0,
            0,
            claimed >>> 24,
            (claimed >> 16) & 255,
            (claimed >> 8) & 255,
            claimed & 255,
          ]);
  return Buffer.concat([length, Buffer.alloc(4), payload]); // a mask of zeros leaves it unchanged
}

function message(random: Random, world: World, version: string): string {
  if (random.chance(0.1)) return random.pick(RAW_JSON)!;
  const table = random.pick(world.tables)!;
  const config = {
    broadcast: { ack: true, self: random.chance(0.5) },
    presence: { key: random.pick(TEXTS)!, enabled: true },
    private: random.chance(0.3),
    postgres_changes: [
      {
        event: "*",
        schema: "public",
        table: table.name,
        filter: `${random.pick(table.columns)!}=eq.${random.pick(TEXTS)!}`,
      },
    ],
  };
  const payload = {
    config,
    access_token: random.pick(world.tokens),
    type: "broadcast",
    event: "say",
    payload: {},
  };
  const topic = random.chance(0.2) ? random.pick(TEXTS)! : "realtime:square";
  const event = random.chance(0.1) ? random.pick(TEXTS)! : random.pick(EVENTS)!;
  const bentPayload = random.chance(0.6) ? bent(random, payload) : payload;
  return version === "2.0.0"
    ? JSON.stringify(
        random.chance(0.1)
          ? bent(random, ["1", "1", topic, event, bentPayload])
          : ["1", "1", topic, event, bentPayload],
      )
    : JSON.stringify({ topic, event, payload: bentPayload, ref: "1", join_ref: "1" });
}

function broadcast(random: Random): Buffer {
  const head = [3, 1, 1, random.below(40), random.below(10), random.below(3), random.below(3)];
  return Buffer.concat([
    Buffer.from(head),
    Buffer.from(random.pick(TEXTS)! + random.pick(RAW_JSON)!, "utf8"),
  ]);
}
