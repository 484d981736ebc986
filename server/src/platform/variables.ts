// Environment variables as settings: each is read by a parser, and what is wrong with any of them is reported together.
import { isIP } from "node:net";
import { emailPattern, plainEmail } from "contract/people";
import { StartError } from "./start-error.ts";

/** Thrown with one line for each invalid variable. */
export class ConfigError extends StartError {}

export type Values = Readonly<Record<string, string | undefined>>;

export interface Variables {
  /** Undefined when unset or empty. */
  text(name: string): string | undefined;
  /** Undefined when unset, empty or refused by `parse`, whose error's message is then a problem. */
  read<T>(name: string, parse: (text: string) => T): T | undefined;
  /** Those that are set and whose names begin with the prefix. */
  withPrefix(prefix: string): Record<string, string>;
  readonly values: Values;
  /** Those that were asked for so far and are set. */
  readonly given: Readonly<Record<string, string>>;
  readonly problems: string[];
  /** Throws a ConfigError if there is a problem. */
  finish(): void;
}

export function readVariables(values: Values): Variables {
  const problems: string[] = [];
  const given: Record<string, string> = {};
  const read: Variables["read"] = (name, parse) => {
    const text = values[name];
    if (text === undefined || text === "") return undefined;
    given[name] = text;
    try {
      return parse(text);
    } catch (error) {
      problems.push(`${name}: ${(error as Error).message}`);
      return undefined;
    }
  };
  return {
    values,
    given,
    problems,
    read,
    text: (name) => read(name, String),
    withPrefix(prefix) {
      const found = Object.fromEntries(
        Object.entries(values).filter(
          (entry): entry is [string, string] => entry[0].startsWith(prefix) && Boolean(entry[1]),
        ),
      );
      Object.assign(given, found);
      return found;
    },
    finish() {
      if (problems.length > 0) throw new ConfigError(problems.join("\n"));
    },
  };
}

// Parsers written by hand: a schema library would take a third of a warm start.

export function port(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number > 65_535) throw new Error("must be a port number, 0 to 65535");
  return number;
}

export function positive(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error("must be a whole number of at least 1");
  return Number(text);
}

export const url =
  (...schemes: readonly string[]) =>
  (text: string): string => {
    if (!URL.canParse(text) || !schemes.includes(new URL(text).protocol.slice(0, -1))) {
      throw new Error(
        `must be a URL that starts with ${schemes.map((scheme) => `${scheme}://`).join(" or ")}`,
      );
    }
    return text;
  };

/** Normalized as browsers do, in letters that a header can hold. */
export const site = (text: string): string => new URL(url("http", "https")(text)).href.replace(/\/+$/, "");

export const hosts = (text: string): string[] =>
  list(text).map((host) => URL.parse(`https://${host}`)?.host ?? host);

export function address(text: string): string {
  const email = plainEmail(text);
  if (!emailPattern.test(email)) throw new Error("must be an email address, e.g. office@example.com");
  return email;
}

/** An address, or a name and an address in angle brackets. */
export function mailbox(text: string): string {
  const [, name, inner = text] = /^([^<>\r\n]*)<([^<>]+)>$/.exec(text) ?? [];
  const email = plainEmail(inner);
  if (!emailPattern.test(email)) throw new Error("must be an email address or `Name <address>`");
  return name === undefined ? email : `${name}<${email}>`;
}

const list = (text: string): string[] =>
  text
    .split(",")
    .map((entry) => entry.trim())
    .filter(Boolean);

export function networks(text: string): string[] {
  const entries = list(text);
  const wrong = entries.find((entry) => {
    const [address = "", prefix] = entry.split("/");
    const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
    return bits === -1 || (prefix !== undefined && (!/^\d{1,3}$/.test(prefix) || Number(prefix) > bits));
  });
  if (wrong !== undefined)
    throw new Error(`must be addresses or blocks such as 10.0.0.0/8, and ${wrong} is neither`);
  const everybody = entries.find((entry) => Number(entry.split("/")[1]) === 0);
  if (everybody !== undefined)
    throw new Error(
      `must be your proxies' own addresses: with ${everybody}, any visitor could claim any address`,
    );
  return entries;
}

export const oneOf =
  <Word extends string>(...words: readonly Word[]) =>
  (text: string): Word => {
    const word = words.find((one) => one === text);
    if (word === undefined) throw new Error(`must be one of ${words.join(", ")}`);
    return word;
  };

export const longEnough =
  (characters: number) =>
  (text: string): string => {
    if (text.length < characters) throw new Error(`must be at least ${characters} characters`);
    return text;
  };

/** A group of variables that only makes sense when complete: all set, or none. */
export function together<Key extends string>(
  what: string,
  group: Record<Key, readonly [name: string, value: string | undefined]>,
): Record<Key, string> | undefined {
  const entries = Object.entries<readonly [string, string | undefined]>(group);
  const missing = entries.filter(([, [, value]]) => value === undefined).map(([, [name]]) => name);
  if (missing.length === entries.length) return undefined;
  if (missing.length > 0) {
    throw new ConfigError(`${what} is only half configured: ${missing.join(", ")} missing`);
  }
  return Object.fromEntries(entries.map(([key, [, value]]) => [key, value])) as Record<Key, string>;
}
