// Addresses of no page, as long as a request may be: a pattern that is tried at each character reads them for seconds.
import { type Attack, ask } from "./attack.ts";

export const LONG_PATHS: readonly string[] = ["/", "-", "a/", "/."].map(
  (repeated) => `/a${repeated.repeat(14_000 / repeated.length)}a`,
);

export const LONG_PATH_ATTACK: Attack = {
  name: "long paths",
  attackers: 8,
  must: [/^404$/],
  act: (target, n) => ask(target, n, LONG_PATHS[n % LONG_PATHS.length]!),
};
