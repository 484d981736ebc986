// The path of a hostile request: every route of every endpoint, its placeholders filled with existing values or with ones that
// nobody should send; and PostgREST's grammar, generated to its full depth.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Random } from "../simulator/random.ts";
import { LONG_PATHS } from "./attacks/long-paths.ts";
import { TEXTS } from "./texts.ts";
import type { World } from "./world.ts";

export interface Place {
  readonly path: string;
  /** Its route, which decides what body fits. */
  readonly route: string;
  readonly method?: string | undefined;
}

const FUNCTIONS = readdirSync(join(import.meta.dirname, "../../supabase/functions"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !entry.name.startsWith("_"))
  .map(({ name }) => name)
  .toSorted();

/** `~` is a placeholder for a value. */
const ROUTES: readonly (readonly [string, ...string[]])[] = [
  ["/auth/v1/health", "GET"],
  ["/auth/v1/settings", "GET"],
  ["/auth/v1/signup", "POST"],
  ["/auth/v1/token?grant_type=password", "POST"],
  ["/auth/v1/token?grant_type=refresh_token", "POST"],
  ["/auth/v1/token?grant_type=pkce", "POST"],
  ["/auth/v1/token?grant_type=~", "POST"],
  ["/auth/v1/verify?token=~&type=~&redirect_to=~", "GET"],
  ["/auth/v1/verify", "POST"],
  ["/auth/v1/recover?redirect_to=~", "POST"],
  ["/auth/v1/resend", "POST"],
  ["/auth/v1/user", "GET", "PUT"],
  ["/auth/v1/logout?scope=~", "POST"],
  ["/auth/v1/otp", "POST"],
  ["/auth/v1/magiclink", "POST"],
  ["/auth/v1/reauthenticate", "GET"],
  ["/auth/v1/authorize?provider=~", "GET"],
  ["/auth/v1/sso", "POST"],
  ["/auth/v1/factors", "POST"],
  ["/auth/v1/factors/recovery-codes/verify", "POST"],
  ["/auth/v1/passkeys/authentication/options", "POST"],
  ["/auth/v1/passkeys/authentication/verify", "POST"],
  ["/auth/v1/passkeys/registration/verify", "POST"],
  ["/auth/v1/admin/users?page=~&per_page=~", "GET", "POST"],
  ["/auth/v1/admin/users/~", "GET", "PUT", "DELETE"],
  ["/auth/v1/admin/generate_link", "POST"],
  ["/auth/v1/~", "GET", "POST"],
  ...[...FUNCTIONS, "~"].map((name) => [`/functions/v1/${name}`, "POST"] as const),
  ["/functions/v1/unsubscribe?token=~", "POST", "GET"],
  ["/functions/v1/qr-picture?code=~&key=~", "GET"],
  ["/storage/v1/bucket", "GET", "POST"],
  ["/storage/v1/bucket/~", "GET", "PUT", "DELETE"],
  ["/storage/v1/bucket/~/empty", "POST"],
  ["/storage/v1/object/~/~", "GET", "POST", "PUT", "DELETE"],
  ["/storage/v1/object/vendor-pictures/~", "POST", "GET"],
  ["/storage/v1/object/~", "DELETE"],
  ["/storage/v1/object/public/~/~?download=~", "GET"],
  ["/storage/v1/object/authenticated/~/~", "GET"],
  ["/storage/v1/object/info/~/~", "GET"],
  ["/storage/v1/object/info/public/~/~", "GET"],
  ["/storage/v1/object/list/~", "POST"],
  ["/storage/v1/object/move", "POST"],
  ["/storage/v1/object/copy", "POST"],
  ["/storage/v1/object/sign/~", "POST"],
  ["/storage/v1/object/sign/~/~?token=~", "POST", "GET"],
  ["/storage/v1/object/upload/sign/~/~?token=~", "POST", "PUT"],
  ["/storage/v1/render/image/public/~/~", "GET"],
  ["/storage/v1/~", "GET", "POST"],
  ["/realtime/v1/api/broadcast", "POST"],
  ["/realtime/v1/api/broadcast/~/events/~?private=~", "POST"],
  ["/realtime/v1/websocket?vsn=~&apikey=~", "GET"],
  ["/realtime/v1/~", "GET"],
  ["/v1/payment_intents", "GET", "POST"],
  ["/v1/payment_intents/~?client_secret=~", "GET", "POST"],
  ["/v1/payment_intents/~/confirm", "POST"],
  ["/v1/payment_intents/~/cancel", "POST"],
  ["/v1/refunds", "GET", "POST"],
  ["/v1/refunds/~", "GET", "POST"],
  ["/v1/checkout/sessions", "POST"],
  ["/v1/events?limit=~&type=~", "GET"],
  ["/v1/charges/~?expand[]=~", "GET"],
  ["/v1/~", "GET", "POST"],
  ["/payments-sandbox/~", "GET", "POST"],
  ["/payments-sandbox/challenge/~", "GET", "POST"],
  ["/mailbox", "GET"],
  ["/mailbox/~", "GET"],
  ["/mailbox/~/html", "GET"],
  ["/mailbox/~/raw", "GET"],
  ["/mailbox/~/attachments/~", "GET"],
  ["/mailbox/delete", "POST"],
  ["/mailbox/api/messages?limit=~", "GET", "DELETE"],
  ["/mailbox/api/messages/~", "GET", "DELETE"],
  ["/health", "GET"],
  ["/", "GET"],
  ["/~", "GET"],
  ...LONG_PATHS.map((path) => [path, "GET"] as const),
  ["/assets/~", "GET"],
  ["/admin/~", "GET"],
  ["/tickets?~=~", "GET"],
];

export function pathOf(random: Random, world: World): Place {
  if (random.chance(0.4)) return restPath(random, world);
  const [template, ...methods] = random.pick(ROUTES)!;
  const path = template.replaceAll("~", () => value(random, world));
  return { path, route: template.split("?", 1)[0]!, method: random.pick(methods) };
}

/** A value for a path or a query: an existing one, or a text in one of the encodings a client may choose. */
function value(random: Random, world: World): string {
  const known = random.below(4);
  if (known === 0) return random.pick(world.ids)!;
  if (known === 1) return random.pick(KNOWN)!;
  return encoded(random, random.pick(TEXTS)!);
}

const KNOWN = [
  "vendor-pictures",
  "avatars",
  "a",
  "1",
  "true",
  "pi_1",
  "cs_1",
  "re_1",
  "pi_1_secret_2",
  "signup",
  "recovery",
  "1.0.0",
  "2.0.0",
];

function encoded(random: Random, text: string): string {
  const whole = random.below(20);
  if (whole === 0)
    return random.pick([
      "%ED%A0%80",
      "%C0%AF",
      "%FF",
      "%",
      "%zz",
      "%25%30%30",
      "%EF%BF%BF",
      "%00",
      "%u0041",
      "+%2B+",
    ])!;
  if (whole === 1) return encodeURIComponent(encodeURIComponent(text.toWellFormed()));
  if (whole === 2) return text.replaceAll(/[^\x21-\x7e\x80-\xff]/g, "");
  return encodeURIComponent(text.toWellFormed());
}

const OPERATORS = [
  ...[
    "eq",
    "neq",
    "gt",
    "gte",
    "lt",
    "lte",
    "like",
    "ilike",
    "match",
    "imatch",
    "in",
    "is",
    "isdistinct",
    "fts",
    "plfts",
    "phfts",
    "wfts",
  ],
  ...[
    "cs",
    "cd",
    "ov",
    "sl",
    "sr",
    "nxr",
    "nxl",
    "adj",
    "not.eq",
    "not.in",
    "eq(any)",
    "like(all)",
    "fts(english)",
    "not.not.eq",
    "zz",
  ],
];
const CASTS = [
  "text",
  "int",
  "json",
  "jsonb",
  "uuid",
  "timestamptz",
  "numeric",
  "regclass",
  "text[]",
  "canary",
  "anyelement",
  "bytea",
];

function restPath(random: Random, world: World): Place {
  const pick = <T>(list: readonly T[]): T => random.pick(list)!;
  const text = () => encoded(random, pick(TEXTS));
  const table = () => pick(world.tables);
  const here = table();
  const column = (of = here): string => (random.chance(0.1) ? text() : pick(of.columns));
  const literal = (): string => {
    const turn = random.below(6);
    if (turn === 0) return pick(world.ids);
    if (turn === 1) return `(${[pick(world.ids), text(), "1"].join(",")})`;
    if (turn === 2) return `{${text()},1}`;
    if (turn === 3) return `"${text()}"`;
    return text();
  };
  const condition = (): string => `${pick(OPERATORS)}.${literal()}`;
  const tree = (depth: number): string =>
    depth === 0 || random.chance(0.4)
      ? `${column()}.${condition()}`
      : `${pick(["and", "or", "not.and", "not.or"])}(${[1, 2, 3].map(() => tree(depth - 1)).join(",")})`;
  const item = (of: World["tables"][number], depth: number): string => {
    const turn = random.below(12);
    const name = column(of);
    if (turn === 0) return `${text()}:${name}`;
    if (turn === 1) return `${name}::${pick(CASTS)}`;
    if (turn === 2) return `${name}->${text()}->>${random.below(9) - 3}`;
    if (turn === 3) return `${name}.${pick(["sum", "avg", "count", "max", "min"])}()`;
    if (turn === 4) return "count()";
    if (turn === 5 && depth > 0) {
      const other = table();
      const hint = random.chance(0.3) ? `!${pick([column(of), "inner", "left", text()])}` : "";
      const spread = random.chance(0.2) ? "..." : "";
      return `${spread}${other.name}${hint}(${list(other, depth - 1)})`;
    }
    return turn === 6 ? "*" : name;
  };
  const list = (of: World["tables"][number], depth: number): string =>
    Array.from({ length: random.below(5) }, () => item(of, depth)).join(",");

  const query: string[] = [];
  const add = (share: number, make: () => string) => {
    while (random.chance(share)) query.push(make());
  };
  add(0.5, () => `select=${random.chance(0.1) ? text() : list(here, 6)}`);
  add(0.5, () => `${column()}=${condition()}`);
  add(0.2, () => `${pick(["or", "and", "not.or"])}=(${[1, 2].map(() => tree(4)).join(",")})`);
  add(0.2, () => `order=${column()}.${pick(["asc", "desc", "desc.nullsfirst", "asc.nullslast", text()])}`);
  add(
    0.2,
    () =>
      `${random.chance(0.2) ? `${table().name}.` : ""}limit=${pick(["0", "1", "-1", "5", "99999999999999999999", text()])}`,
  );
  add(0.1, () => `offset=${pick(["0", "3", "-1", "99999999999999999999", text()])}`);
  add(0.1, () => `columns=${pick([column(), `${column()},${column()}`, text()])}`);
  add(0.1, () => `on_conflict=${pick([column(), text()])}`);
  add(0.05, () => `apikey=${pick([world.anonKey, text()])}`);
  add(0.05, () => `${text()}=${text()}`);
  if (random.chance(0.35)) {
    const routine = random.chance(0.05) ? { name: text(), parameters: ["a"] } : pick(world.routines);
    for (const name of routine.parameters)
      if (random.chance(0.7)) query.push(`${name}=${random.chance(0.5) ? pick(world.ids) : text()}`);
    const path = `/rest/v1/rpc/${routine.name}?${query.join("&")}`;
    return { path, route: `/rest/v1/rpc/${routine.name}`, method: random.chance(0.6) ? "POST" : "GET" };
  }
  const name = random.chance(0.05) ? text() : here.name;
  return { path: `/rest/v1/${name}?${query.join("&")}`, route: `/rest/v1/${here.name}` };
}
