// Looks at the tables while a launch runs, four times a second: stock, the waiting room and the mails that wait.
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";

interface Watched {
  /** Seconds from the start until every ticket was held or sold, and until every one was sold. */
  readonly allHeld: number | undefined;
  readonly allSold: number | undefined;
  readonly roomOpenSeconds: number;
  readonly longestLine: number;
  readonly mostMailsWaiting: number;
}

interface Watch {
  end(): Promise<Watched>;
}

const EVERY_MS = 250;

export function watch(sql: pg.Pool): Watch {
  const started = performance.now();
  const seen = { roomOpenSeconds: 0, longestLine: 0, mostMailsWaiting: 0 };
  let allHeld: number | undefined;
  let allSold: number | undefined;
  let ended = false;

  async function look(): Promise<void> {
    let before = performance.now();
    while (!ended) {
      const { rows } = await sql.query(
        `select (select sum(current_inventory)::integer from public.ticket_types) as free,
           (select sum(held)::integer from public.products where kind = 'ticket') as held,
           (select opened_at is not null from public.waiting_room) as open,
           (select count(*)::integer from public.waiting_places where admitted_at is null and spent_at is null) as line,
           (select count(*)::integer from public.outbox where done_at is null) as mails`,
      );
      const { free, held, open, line, mails } = rows[0];
      const now = performance.now();
      if (free === 0) allHeld ??= (now - started) / 1000;
      if (free + held === 0) allSold ??= (now - started) / 1000;
      if (open) seen.roomOpenSeconds += (now - before) / 1000;
      seen.longestLine = Math.max(seen.longestLine, line);
      seen.mostMailsWaiting = Math.max(seen.mostMailsWaiting, mails);
      before = now;
      await sleep(EVERY_MS);
    }
  }

  const looking = look();
  return {
    async end() {
      ended = true;
      await looking;
      return { ...seen, allHeld, allSold };
    },
  };
}
