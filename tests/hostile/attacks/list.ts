// Every attack tried on the shop.
import { ACCOUNTS } from "./accounts.ts";
import type { Attack } from "./attack.ts";
import { BODIES } from "./bodies.ts";
import { LONG_PATH_ATTACK } from "./long-paths.ts";
import { QUERIES } from "./queries.ts";
import { SLOW_READERS } from "./slow-readers.ts";
import { SOCKETS } from "./sockets.ts";
import { visits } from "./visits.ts";

export const ATTACKS: readonly Attack[] = [
  ...QUERIES,
  LONG_PATH_ATTACK,
  ...BODIES,
  SLOW_READERS,
  ...SOCKETS,
  visits(),
  ...ACCOUNTS,
];
