// One hostile request from a number: method, path, headers and body are each taken from what is valid somewhere, and mutated.
// The same seed and number give the same bytes.
import { gzipSync } from "node:zlib";
import { createRandom, type Random } from "../simulator/random.ts";
import { bodyFor } from "./bodies.ts";
import { pathOf } from "./paths.ts";
import { TEXTS } from "./texts.ts";
import type { World } from "./world.ts";

export interface HostileRequest {
  readonly number: number;
  readonly bytes: Buffer;
  readonly method: string;
  /** How it begins, for a report. */
  readonly line: string;
  /** Whether an answer is required: half a request and one that is not HTTP may be cut off. */
  readonly answers: boolean;
}

const METHODS = ["GET", "GET", "GET", "POST", "POST", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
const ODD_METHODS = [
  "PROPFIND",
  "TRACE",
  "LINK",
  "SEARCH",
  "QUERY",
  "get",
  "G\u0000T",
  "CONNECT",
  "PRI",
  "X".repeat(40),
];

export function hostileRequest(seed: number, number: number, world: World): HostileRequest {
  const random = createRandom(Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b));
  const pick = <T>(list: readonly T[]): T => random.pick(list)!;
  const { path, route, method: own } = pathOf(random, world);
  const method = random.chance(0.02) ? pick(ODD_METHODS) : own && random.chance(0.8) ? own : pick(METHODS);
  const body = method === "GET" || method === "HEAD" ? undefined : bodyFor(random, route, world);
  const headers = headersFor(random, world, route);
  return {
    number,
    method,
    line: `${method} ${path}`.slice(0, 300),
    ...written(random, method, path, headers, body),
  };
}

function headersFor(random: Random, world: World, route: string): [string, string][] {
  const pick = <T>(list: readonly T[]): T => random.pick(list)!;
  const text = () => pick(TEXTS).replaceAll(/[^\x20-\x7e\x80-\xff]/g, "?");
  const token = random.chance(0.05) ? `${text()}.${text()}.x` : pick(world.tokens);
  const headers: [string, string][] = [
    ["host", random.chance(0.02) ? text() : "localhost"],
    // From many addresses, so that the limits of one do not answer for all of them.
    ["x-forwarded-for", random.chance(0.02) ? text() : `10.${random.below(64)}.${random.below(64)}.7`],
  ];
  if (!random.chance(0.03)) headers.push(["apikey", random.chance(0.02) ? text() : world.anonKey]);
  if (random.chance(0.8)) headers.push(["authorization", random.chance(0.03) ? text() : `Bearer ${token}`]);
  const extra = route.startsWith("/rest") ? 0.5 : 0.25;
  while (random.chance(extra)) {
    const [name, values] = pick(EXTRA);
    headers.push([name, random.chance(0.5) ? pick(values) : text()]);
  }
  return headers;
}

const EXTRA: readonly (readonly [string, readonly string[]])[] = [
  [
    "prefer",
    [
      ...[
        "return=representation",
        "return=minimal",
        "return=headers-only",
        "count=exact",
        "count=planned",
        "count=estimated",
      ],
      ...[
        "resolution=merge-duplicates",
        "resolution=ignore-duplicates",
        "missing=default",
        "tx=rollback",
        "handling=strict",
      ],
      ...[
        "handling=strict, max-affected=0",
        "handling=strict,timezone=Mars/Phobos",
        "timezone=America/Chicago",
        "params=single-object",
      ],
    ],
  ],
  ["range", ["0-9", "5-2", "0-", "-1", "99999999999999999999-", "bytes=0-1", "0-0,5-9"]],
  ["range-unit", ["items", "bytes"]],
  [
    "accept",
    [
      ...[
        "application/json",
        "text/csv",
        "application/vnd.pgrst.object+json",
        "application/vnd.pgrst.object+json;nulls=stripped",
      ],
      ...[
        "application/vnd.pgrst.plan+json",
        "application/geo+json",
        "application/octet-stream",
        "text/html",
        "*/*;q=0",
        "a/b,".repeat(300),
      ],
    ],
  ],
  ["accept-profile", ["public", "auth", "storage", "pg_catalog"]],
  ["content-profile", ["public", "auth", "information_schema"]],
  ["idempotency-key", ["a", "key", "k".repeat(300)]],
  ["x-client-info", ["supabase-js/2"]],
  ["origin", ["https://evil.test", "null"]],
  ["cookie", ["a=b; c=d", "=;".repeat(500)]],
  ["if-none-match", ["*", '"a"', 'W/"b"']],
  ["accept-encoding", ["gzip, br", "br;q=nan", "identity;q=0", "*;q=0"]],
  ["expect", ["100-continue", "200-ok"]],
  ["content-encoding", ["gzip", "br", "identity"]],
  ["x-http-method-override", ["DELETE", "PUT"]],
  ["x-upsert", ["true", "1"]],
  ["x-metadata", ["e30=", "bm9wZQ==", Buffer.from('{"a":'.repeat(300)).toString("base64")]],
  ["cache-control", ["3600", "no-store", "max-age=99999999999999999999"]],
  ["stripe-signature", ["t=1,v1=00", "t=,v1=", "t=99999999999999,v1=a"]],
  ["x-supabase-api-version", ["2024-01-01", "1"]],
  ["forwarded", ["for=10.9.9.9", 'for="[::1]"', "for=_a;for=b"]],
  ["cf-connecting-ip", ["1.1.1.1"]],
  ["upgrade", ["websocket", "h2c"]],
  ["connection", ["keep-alive", "close", "upgrade", "te, close"]],
  ["content-length", ["0", "5", "99999999999"]],
  ["transfer-encoding", ["chunked", "gzip, chunked", "identity"]],
  ["x-large", ["x".repeat(8_000), "x".repeat(17_000)]],
];

/** Serializes it: mostly as valid HTTP, otherwise with a wrong length, in chunks, or cut off. */
function written(
  random: Random,
  method: string,
  path: string,
  headers: readonly [string, string][],
  body: { type: string; bytes: Buffer } | undefined,
): { bytes: Buffer; answers: boolean } {
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  if (body && !random.chance(0.05)) lines.push(`content-type: ${body.type}`);
  const own = headers.some(([name]) =>
    ["content-length", "transfer-encoding", "upgrade", "expect"].includes(name),
  );
  const head = (extra: readonly string[]) =>
    Buffer.from([`${method} ${path} HTTP/1.1`, ...lines, ...extra].join("\r\n") + "\r\n\r\n", "latin1");
  if (!body) {
    const isCut = random.chance(0.005);
    return { bytes: isCut ? head([]).subarray(0, -3) : head([]), answers: !own && !isCut };
  }
  const packed = random.chance(0.01) ? gzipSync(body.bytes) : body.bytes;
  const turn = random.below(200);
  if (turn === 0)
    return { bytes: Buffer.concat([head([`content-length: ${packed.length + 9}`]), packed]), answers: false };
  if (turn === 1)
    return {
      bytes: Buffer.concat([head([`content-length: ${packed.length >> 1}`]), packed]),
      answers: false,
    };
  if (turn === 2)
    return { bytes: Buffer.concat([head(["transfer-encoding: chunked"]), packed]), answers: false };
  if (turn < 12) {
    const chunks: Buffer[] = [];
    for (let at = 0; at < packed.length;) {
      const size = 1 + random.below(Math.min(packed.length - at, 4_000));
      chunks.push(
        Buffer.from(`${size.toString(16)}\r\n`),
        packed.subarray(at, at + size),
        Buffer.from("\r\n"),
      );
      at += size;
    }
    return {
      bytes: Buffer.concat([head(["transfer-encoding: chunked"]), ...chunks, Buffer.from("0\r\n\r\n")]),
      answers: !own,
    };
  }
  return { bytes: Buffer.concat([head([`content-length: ${packed.length}`]), packed]), answers: !own };
}
