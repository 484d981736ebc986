// What an attack consists of, and how its requests are sent and counted.
import type { Client } from "pg";
import { randomUUID } from "node:crypto";
import type { Festival } from "../../support/server/festival.ts";

interface Attacker {
  readonly id: string;
  readonly email: string;
  readonly password: string;
  readonly token: string;
}

export interface Target {
  readonly festival: Festival;
  readonly database: Client;
  /** Accounts of the attackers. */
  readonly attackers: readonly Attacker[];
}

export interface Attack {
  readonly name: string;
  /** How many act at once. */
  readonly attackers: number;
  /** Endings that must occur: without them, the attack missed what it is aimed at. */
  readonly must: readonly RegExp[];
  prepare?(target: Target): Promise<void>;
  /** One request or connection, repeated by each attacker; `n` tells them apart. Returns how it ended. */
  act(target: Target, n: number): Promise<string>;
  /** What it changed that it must not, and restores what `prepare` changed. */
  check?(target: Target): Promise<readonly string[]>;
}

/** The attackers have ten networks, as the festival sees them. */
const NETWORKS = 10;
export const addressOf = (n: number): string => `10.0.${n % NETWORKS}.7`;

interface Asked {
  readonly method?: string;
  readonly body?: BodyInit;
  /** The anonymous key's by default. */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const GIVEN_UP_MS = 30_000;

/** Returns the status with the error's code, e.g. "422 57014". */
export async function ask(
  { festival }: Pick<Target, "festival">,
  n: number,
  path: string,
  { method, body, token, headers }: Asked = {},
): Promise<string> {
  const key = festival.status.ANON_KEY!;
  try {
    const answer = await fetch(festival.url + path, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      ...(body === undefined ? {} : { body }),
      headers: {
        apikey: key,
        authorization: `Bearer ${token ?? key}`,
        "content-type": "application/json",
        "x-forwarded-for": addressOf(n),
        ...headers,
      },
      signal: AbortSignal.timeout(GIVEN_UP_MS),
    });
    return [answer.status, codeIn(await answer.text())].filter((part) => part !== undefined).join(" ");
  } catch (error) {
    return (error as Error).name === "TimeoutError" ? "unanswered" : "cut off";
  }
}

/** Posts JSON; otherwise like `ask`. */
export const post = (
  target: Pick<Target, "festival">,
  n: number,
  path: string,
  value: unknown,
  asked: Asked = {},
) => ask(target, n, path, { body: JSON.stringify(value), ...asked });

/** An error's code, or its words where a service has no codes. */
const codeIn = (text: string): string | undefined =>
  (/"(?:error_code|code|error)":"([\w ]+)"/.exec(text.slice(0, 1_000)) ??
    /^{"message":"([\w ]+)/.exec(text))?.[1];

/** Calls with the service key while an attack is prepared. Throws if refused. */
export async function asService(
  { festival }: Target,
  method: string,
  path: string,
  body?: object,
): Promise<unknown> {
  const key = festival.status.SERVICE_ROLE_KEY!;
  const answer = await fetch(festival.url + path, {
    method,
    headers: { apikey: key, authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

export const aStranger = () => `${randomUUID()}@people.test`;
