// P17: the mails of whole orders, from the outbox to a mail server in a process of its own: codes signed, pictures drawn, mails
// composed and handed over. And what a sale at full speed loses while they are sent. Each mail must arrive, with a picture of each
// code.
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { compared, type Figure, number, type Settings } from "../figures.ts";
import { openHttpClients } from "../http-clients.ts";
import { measureInTurn, type Paired, spread, WrongAnswer } from "../pairs.ts";
import { processorTime, type ProcessorTime, since } from "../processor-time.ts";
import { type MeasuredShop, openMeasuredShop } from "../shop.ts";
import { openCarts, placing } from "./carts.ts";
import type { SunkMail } from "./mail-sink.ts";
import { INSTANT_PROVIDER } from "./purchase.ts";
import { openReservations, orderIn } from "./reservations.ts";

const CLIENTS = 32;
const MAILS = 1000;
/** More than go out while a sale runs. */
const MAILS_A_SECOND_OF_SALE = 400;
const PATIENCE_MS = 300_000;

interface Drained {
  readonly mails: number;
  /** From the first arrival to the last. */
  readonly seconds: number;
  readonly processor: ProcessorTime;
  readonly arrivals: readonly number[];
}

export async function measureOrderMails({ pairs, seconds }: Settings): Promise<readonly Figure[]> {
  const sink = await openSink();
  const shop = await openMeasuredShop({ ...INSTANT_PROVIDER, SMTP_URL: sink.url });
  try {
    const mails = await openMails(shop, sink);
    const alone: Drained[] = [];
    for (let slice = 0; slice < pairs; slice++) {
      await mails.queue(MAILS);
      alone.push(await mails.drained());
    }
    const sale = openReservations(shop, CLIENTS);
    const beside: number[] = [];
    const left: number[] = [];
    const paired = await measureInTurn(
      async () => {
        await mails.queue(Math.ceil(MAILS_A_SECOND_OF_SALE * seconds));
        const rate = await sale.slice(seconds);
        const ended = Date.now();
        const { arrivals } = await mails.drained();
        left.push(arrivals.filter((at) => at >= ended).length);
        if (left.at(-1) === 0) throw new WrongAnswer("The mails were out before the sale's time was over.");
        beside.push(arrivals.filter((at) => at >= ended - seconds * 1000 && at < ended).length / seconds);
        return rate;
      },
      () => sale.slice(seconds),
      pairs,
    );
    return [...figuresAlone(alone.slice(1)), ...figuresBeside(paired, beside.slice(1), left.slice(1))];
  } finally {
    await shop.close();
    sink.close();
  }
}

function figuresAlone(alone: readonly Drained[]): Figure[] {
  const median = (of: (one: Drained) => number) => spread(alone.map(of)).median;
  const [server, postgres] = (["server", "postgres"] as const).map((part) =>
    median(({ mails, processor }) => processor[part] / mails),
  );
  const rate = median(({ mails, seconds }) => (mails - 1) / seconds);
  return [
    {
      what: "order mails handed over, nothing else to do",
      ours: `${number(rate)} /s`,
      against: `${MAILS} waited, out after ${number(median(({ seconds }) => seconds))} s`,
      amount: rate,
      goal: { atLeast: 200 },
    },
    {
      what: "processor time of a mail",
      ours: `${number(server! + postgres!)} ms`,
      against: `server ${number(server!)} + PostgreSQL ${number(postgres!)} ms`,
    },
  ];
}

function figuresBeside(paired: Paired, beside: readonly number[], left: readonly number[]): Figure[] {
  return [
    compared("reservations while mails go out", "/s", "with none", paired, { atLeast: 0.9 }),
    {
      what: "mails beside them",
      ours: `${number(spread(beside).median)} /s`,
      against: `${number(spread(left).median)} still waited at the end`,
    },
  ];
}

interface Mails {
  /** Confirms so many orders, whose mails wait from one moment on. */
  queue(count: number): Promise<void>;
  /** Once every mail is out and has arrived. */
  drained(): Promise<Drained>;
}

async function openMails(shop: MeasuredShop, sink: Sink): Promise<Mails> {
  const cartsOf = await openCarts(shop);
  let pictures = new Map<string, number>();
  let spent = processorTime(shop.festival);

  return {
    async queue(count) {
      const carts = cartsOf(await shop.newBuyers(count)).map((cart) => ({ ...cart, text: placing(cart) }));
      const orders: string[] = [];
      const http = await openHttpClients(shop.festival.url, CLIENTS);
      let next = 0;
      await http.run(
        PATIENCE_MS / 1000,
        () => carts[next++],
        (answer, cart) => orders.push(orderIn(answer, cart)),
      );
      http.close();
      pictures = new Map(carts.map(({ buyer, codes }) => [buyer.email, codes]));
      // In one transaction: no mail goes out before the last order is confirmed.
      await shop.sql.query(
        `select public.confirm_order(id, 'pi_' || id, (total_amount * 100)::integer) from public.orders
         where id = any ($1)`,
        [orders],
      );
      spent = processorTime(shop.festival);
    },
    async drained() {
      await untilMailed(shop);
      const processor = since(spent, processorTime(shop.festival));
      const arrived = await sink.arrived();
      const seen = new Set(arrived.map(({ to }) => to));
      for (const { to, codes } of arrived) {
        if (codes !== pictures.get(to)) throw new WrongAnswer(`A mail to ${to} has ${codes} pictures.`);
      }
      if (seen.size !== pictures.size || arrived.length !== pictures.size) {
        throw new WrongAnswer(`${arrived.length} mails came for ${pictures.size} orders.`);
      }
      const arrivals = arrived.map(({ at }) => at);
      const taken = (Math.max(...arrivals) - Math.min(...arrivals)) / 1000;
      return { mails: arrived.length, seconds: taken, processor, arrivals };
    },
  };
}

async function untilMailed({ sql }: MeasuredShop): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(100)) {
    const { rows } = await sql.query<{ waiting: number; dead: number }>(
      `select count(*)::integer as waiting, count(dead_at)::integer as dead from public.outbox where done_at is null`,
    );
    const { waiting, dead } = rows[0]!;
    if (dead > 0) throw new WrongAnswer(`${dead} mails were given up.`);
    if (waiting === 0) return;
    if (Date.now() > deadline) throw new WrongAnswer(`${waiting} mails are left.`);
  }
}

export interface Sink {
  readonly url: string;
  /** What has arrived since the last call. */
  arrived(): Promise<readonly SunkMail[]>;
  close(): void;
}

export async function openSink(): Promise<Sink> {
  const child = fork(join(import.meta.dirname, "mail-sink.ts"));
  const [port] = (await once(child, "message")) as [number];
  return {
    url: `smtp://127.0.0.1:${port}`,
    async arrived() {
      child.send("what has arrived?");
      const [mails] = (await once(child, "message")) as [SunkMail[]];
      return mails;
    },
    close: () => child.disconnect(),
  };
}
