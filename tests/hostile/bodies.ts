// A hostile request's body: one that fits its route, mutated in one or more places, or one that fits nothing.
import type { Random } from "../simulator/random.ts";
import { RAW_JSON, TEXTS } from "./texts.ts";
import type { World } from "./world.ts";

export interface Body {
  readonly type: string;
  readonly bytes: Buffer;
}

/** A value that is written into JSON unchanged. */
class Raw {
  readonly json: string;
  constructor(json: string) {
    this.json = json;
  }
}

const GRANT = {
  email: "a@people.test",
  password: "wrong",
  refresh_token: "abc",
  auth_code: "x",
  code_verifier: "y",
  token_hash: "z",
  token: "123456",
  type: "signup",
  data: { name: "a" },
  code_challenge: "c",
  code_challenge_method: "s256",
  new_email: "b@people.test",
  gotrue_meta_security: { captcha_token: "" },
};
const PERSON = { name: "Dee", email: "dee@people.test", phone: "713-555-0100" };

function sampleFor(random: Random, route: string, world: World): unknown {
  const id = random.pick(world.ids)!;
  if (route.startsWith("/auth/")) return GRANT;
  if (route.startsWith("/functions/")) {
    return {
      items: [{ id, name: "General Admission", price: 45, quantity: 1, type: "ticket" }],
      totalAmount: 45,
      attendees: [PERSON],
      buyerInfo: PERSON,
      paymentIntentId: "pi_1",
      ticketId: id,
      orderId: id,
      place: "a.b",
      ...{
        businessName: "a",
        contactName: "b",
        companyName: "c",
        email: "a@people.test",
        phone: "713-555-0100",
      },
      ...{ vendorType: "food", description: "d", products: "e", message: "f", agreeTerms: true, website: "" },
    };
  }
  if (route.startsWith("/storage/")) {
    return {
      ...{ id: "papers", name: "papers", public: true, file_size_limit: 10, allowed_mime_types: ["a/b"] },
      ...{
        prefix: "a",
        prefixes: ["a", "b"],
        limit: 10,
        offset: 0,
        sortBy: { column: "name", order: "asc" },
        search: "x",
      },
      ...{ bucketId: "vendor-pictures", sourceKey: "a", destinationKey: "b", expiresIn: 60, paths: ["a"] },
    };
  }
  if (route.startsWith("/realtime/")) {
    return { messages: [{ topic: "a", event: "b", payload: { c: 1 }, private: random.chance(0.5) }] };
  }
  if (route.startsWith("/v1") || route.startsWith("/payments-sandbox")) {
    return {
      amount: 4500,
      currency: "usd",
      client_secret: "a",
      payment_method: "pm_card_visa",
      reason: "fraudulent",
      payment_intent: "pi_1",
    };
  }
  const rpc = /^\/rest\/v1\/rpc\/(.*)$/.exec(route)?.[1];
  const names = world.routines.find(({ name }) => name === rpc)?.parameters ??
    world.tables.find(({ name }) => `/rest/v1/${name}` === route)?.columns ?? ["a"];
  const row = () =>
    Object.fromEntries(
      names.filter(() => random.chance(0.6)).map((name) => [name, random.pick([id, 1, "a", true, null])]),
    );
  return random.chance(0.2) ? [row(), row()] : row();
}

export function bodyFor(random: Random, route: string, world: World): Body | undefined {
  const turn = random.below(40);
  if (turn === 0) return undefined;
  if (turn === 1) return { type: typeOf(random), bytes: noise(random) };
  const sample = sampleFor(random, route, world);
  if (turn < 6 || (route.startsWith("/v1") && turn < 34)) return form(random, sample);
  if (turn < 8) return multipart(random, sample);
  let value: unknown = sample;
  do value = bent(random, value);
  while (random.chance(0.3));
  const json = write(value);
  const bytes = Buffer.from(json, "utf8");
  if (turn === 8)
    return { type: "application/json", bytes: bytes.subarray(0, random.below(bytes.length + 1)) };
  if (turn === 9)
    return { type: "application/json; charset=utf-16", bytes: Buffer.from(`\ufeff${json}`, "utf16le") };
  if (turn === 10)
    return { type: "application/json", bytes: Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]) };
  if (turn === 11)
    return {
      type: "application/json",
      bytes: Buffer.concat([bytes.subarray(0, 9), Buffer.from([0xff, 0xfe, 0xc0]), bytes.subarray(9)]),
    };
  return { type: turn === 12 ? typeOf(random) : "application/json", bytes };
}

const typeOf = (random: Random): string =>
  random.pick([
    ...[
      "text/csv",
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data",
      "multipart/form-data; boundary=x",
    ],
    ...[
      "application/octet-stream",
      "application/vnd.pgrst.array+json",
      "image/png",
      "",
      "a/b; charset=nope",
      "application/json; charset=x",
    ],
  ])!;

function noise(random: Random): Buffer {
  const bytes = Buffer.alloc(random.below(random.chance(0.02) ? 100_000 : 400));
  for (let at = 0; at < bytes.length; at++) bytes[at] = random.below(256);
  return bytes;
}

/** Replaces or removes one part, or adds another next to it. */
export function bent(random: Random, value: unknown): unknown {
  const isObject = typeof value === "object" && value !== null && !(value instanceof Raw);
  if (!isObject || random.chance(0.15)) return spoilt(random, value);
  if (Array.isArray(value)) {
    if (value.length === 0 || random.chance(0.2))
      return [...value, ...Array.from({ length: random.chance(0.1) ? 600 : 2 }, () => value[0])];
    const at = random.below(value.length);
    return value.map((one, index) => (index === at ? bent(random, one) : one));
  }
  const entries = Object.entries(value);
  const at = random.below(entries.length + 2);
  if (at >= entries.length) return Object.fromEntries([...entries, [random.pick(TEXTS)!, spoilt(random, 1)]]);
  if (random.chance(0.15)) return Object.fromEntries(entries.filter((_, index) => index !== at));
  return Object.fromEntries(
    entries.map(([name, one], index) => [name, index === at ? bent(random, one) : one]),
  );
}

function spoilt(random: Random, value: unknown): unknown {
  const turn = random.below(8);
  if (turn === 0) return new Raw(random.pick(RAW_JSON)!);
  if (turn === 1) return random.pick([0, -1, 1.5, 2 ** 31, 2 ** 53, 1e308, -1e308, Number.MIN_VALUE])!;
  if (turn === 2) return random.pick([null, true, false, [], {}, [[]], [value, value], { value }])!;
  return random.pick(TEXTS)!;
}

function write(value: unknown): string {
  if (value instanceof Raw) return value.json;
  if (Array.isArray(value)) return `[${value.map(write).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    return `{${Object.entries(value)
      .map(([name, one]) => `${JSON.stringify(name)}:${write(one)}`)
      .join(",")}}`;
  }
  return JSON.stringify(value);
}

function form(random: Random, sample: unknown): Body {
  const pairs = Object.entries(sample as object).map(([name, value]) => {
    const text = random.chance(0.4) ? random.pick(TEXTS)! : String(value);
    const key = random.chance(0.1) ? `${name}[${random.pick(TEXTS)!}]` : name;
    return `${encodeURIComponent(key.toWellFormed())}=${random.chance(0.1) ? text : encodeURIComponent(text.toWellFormed())}`;
  });
  if (random.chance(0.1)) pairs.push("a[".repeat(200), "%", "%zz=%00", "=&=&=");
  return { type: "application/x-www-form-urlencoded", bytes: Buffer.from(pairs.join("&"), "utf8") };
}

function multipart(random: Random, sample: unknown): Body {
  const text = () => random.pick(TEXTS)!;
  const parts = Object.entries(sample as object)
    .slice(0, 4)
    .map(
      ([name, value]) =>
        `--edge\r\ncontent-disposition: form-data; name="${random.chance(0.3) ? text() : name}"\r\n\r\n${String(value)}\r\n`,
    );
  const file = `--edge\r\ncontent-disposition: form-data; name=""; filename="${text()}"\r\ncontent-type: ${random.chance(0.5) ? "image/png" : text()}\r\n\r\n${text()}\r\n`;
  const metadata = `--edge\r\ncontent-disposition: form-data; name="metadata"\r\n\r\n${random.pick(RAW_JSON)!}\r\n`;
  const end = random.chance(0.1) ? "" : "--edge--\r\n";
  return {
    type: "multipart/form-data; boundary=edge",
    bytes: Buffer.from([...parts, metadata, file, end].join(""), "utf8"),
  };
}
