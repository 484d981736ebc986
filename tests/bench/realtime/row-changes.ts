// P6: changes of a row that 1,000 visitors follow, all with the same rights, compared with a single visitor. One writer
// commits change after change and waits only while many are not yet delivered. Every change must reach everybody, in order.
import { CROWD_ENV, frameOf, openCrowd } from "./crowd.ts";
import { compared, type Figure, type Settings } from "../figures.ts";
import { measureInTurn, WrongAnswer } from "../pairs.ts";
import { type MeasuredShop, openMeasuredShop } from "../shop.ts";

const MEMBERS = 1000;
/** Changes in flight: not yet received by everybody. */
const UNDER_WAY = 200;
const FOLLOWED = { event: "UPDATE", schema: "public", table: "products" };
const JOIN = {
  config: {
    presence: { enabled: false },
    postgres_changes: [FOLLOWED],
    postgres_changes_options: { wait: true }, // the join's reply confirms that changes flow
  },
};

export async function measureRowChanges({ pairs, seconds }: Settings): Promise<readonly Figure[]> {
  const shop = await openMeasuredShop(CROWD_ENV);
  try {
    const paired = await measureInTurn(
      () => rate(shop, MEMBERS, seconds),
      () => rate(shop, 1, seconds),
      pairs,
    );
    return [
      compared(`row changes, each to ${MEMBERS} subscribers`, "/s", "to one", paired, { atLeast: 0.5 }),
    ];
  } finally {
    await shop.close();
  }
}

/** Changes per second that all members received: each takes one unit from the stock, as a sale does. */
async function rate(shop: MeasuredShop, members: number, seconds: number): Promise<number> {
  const { id } = shop.ticketType;
  let left = await stockOf(shop);
  const crowd = await openCrowd({
    url: shop.festival.url,
    path: `/realtime/v1/websocket?vsn=2.0.0&apikey=${shop.festival.status.ANON_KEY!}`,
    join: frameOf(JSON.stringify(["1", "1", "realtime:tickets", "phx_join", JOIN])),
    members,
    check: (message) => checkChange(message, id, --left),
  });
  try {
    const started = performance.now();
    const until = started + seconds * 1000;
    let written = 0;
    while (performance.now() < until) {
      await shop.sql.query({
        name: "bench_sell_one",
        text: "update public.ticket_types set current_inventory = current_inventory - 1, sold = sold + 1 where id = $1",
        values: [id],
      });
      written += 1;
      await crowd.heard(written - UNDER_WAY + 1);
    }
    await crowd.heard(written);
    return written / ((performance.now() - started) / 1000);
  } finally {
    crowd.close();
  }
}

async function stockOf({ sql, ticketType }: MeasuredShop): Promise<number> {
  const { rows } = await sql.query<{ left: number }>(
    "select current_inventory as left from public.ticket_types where id = $1",
    [ticketType.id],
  );
  return rows[0]!.left;
}

interface HeardChange {
  readonly data: {
    readonly type: string;
    readonly record: { readonly id: string; readonly current_inventory: number };
  };
}

function checkChange(message: Buffer, id: string, left: number): void {
  const frame = JSON.parse(String(message)) as [unknown, unknown, unknown, string, Partial<HeardChange>];
  const { type, record } = frame[4].data ?? {};
  const isSale = frame[3] === "postgres_changes" && type === "UPDATE" && record?.id === id;
  if (!isSale || record.current_inventory !== left) {
    throw new WrongAnswer(`That ${left} are left was heard as ${String(message)}`);
  }
}
