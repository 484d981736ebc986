// A flood of visits through each door that records them.
import { randomUUID } from "node:crypto";
import { type Attack, post, type Target } from "./attack.ts";

/** As many as one call of record_visits takes. */
const AT_ONCE = 50;

/** Few enough that each sends more than it may. */
const NETWORKS = 4;

/** What they may write in an hour. */
const MOST_WRITTEN = NETWORKS * 20_000;

const visit = () => ({
  id: randomUUID(),
  page_path: `/${randomUUID()}`,
  referrer: "r".repeat(300),
  user_agent: "u".repeat(300),
});

const record = (target: Target, n: number, session: string) => {
  const p_visits = Array.from({ length: AT_ONCE }, visit);
  return post(
    target,
    n,
    "/rest/v1/rpc/record_visits",
    { p_visits },
    { headers: { "x-visit-session": session } },
  );
};
const insert = (target: Target, n: number, session: string) => {
  const visits = Array.from({ length: AT_ONCE }, () => ({ ...visit(), session_id: session }));
  return post(target, n, "/rest/v1/site_visits", visits);
};
/** All of a session's visits in one statement. */
const update = (target: Target, n: number, session: string) =>
  post(
    target,
    n,
    "/rest/v1/site_visits?visit_duration=gte.0",
    { visit_duration: Math.floor(Math.random() * 86_400) },
    { method: "PATCH", headers: { "x-visit-session": session } },
  );
const WRITES = [record, insert, update];

const SESSION = "flood-of-";
const sessionOf = (n: number): string => `${SESSION}${n}`;

export function visits(): Attack {
  let before = 0;
  return {
    name: "a flood of visits",
    attackers: 48,
    must: [/^201$/, /^204$/, /^429 PT429$/],
    async prepare(target) {
      const updaters = Array.from({ length: this.attackers }, (_, n) => n).filter(
        (n) => writeOf(n) === update,
      );
      await Promise.all(updaters.map((n) => record(target, n, sessionOf(n))));
      before = await written(target);
    },
    act(target, n) {
      const write = writeOf(n);
      // New visits come from ever new sessions, as one session has its own limit.
      return write(target, n % NETWORKS, sessionOf(write === update ? n : Math.random()));
    },
    async check(target) {
      const wrote = (await written(target)) - before;
      const { rows } = await target.database.query(
        "select distinct page_path from public.site_visits where page_path <> '/not-found' and session_id like $1 || '%'",
        [SESSION],
      );
      return [
        ...(wrote > MOST_WRITTEN ? [`${wrote} visits were written`] : []),
        ...rows.map(({ page_path }) => `a visit to ${page_path} was recorded`),
      ];
    },
  };
}

const writeOf = (n: number) => WRITES[n % WRITES.length]!;

async function written({ database }: Target): Promise<number> {
  const { rows } = await database.query("select count(*)::int as n from public.site_visits");
  return rows[0].n as number;
}
