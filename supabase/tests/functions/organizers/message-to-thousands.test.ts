// A message to thousands, as a running server sends it: by its own jobs, over SMTP, through a restart, with one invalid address.
import { randomUUID } from "node:crypto";
import { afterAll, expect, it } from "vitest";
import { openSmtpSink } from "../../../../server/testing/smtp-sink.ts";
import { readCatalog } from "../../../../shop/testing/carts.ts";
import { openWorld, type World } from "../../../../shop/testing/world.ts";
import { createMailer } from "../../../../server/src/platform/mail.ts";

const CROWD = 600;
const fan = (number: number) => `fan${number}@people.test`;
const NO_ADDRESS = fan(500);
/** The most that one run of the job sends. A stopping server waits for the run. */
const RUN = 100;

const sink = await openSmtpSink({ refused: NO_ADDRESS });
const mailer = createMailer(async () => sink.url, "Festival <tickets@festival.example>");
const world = await openWorld({ mailer });
let restarted: World | undefined;
afterAll(async () => {
  await restarted?.close();
  await world.close();
  mailer.close();
  await sink.close();
});

const shop = await readCatalog(world);
const admin = await world.newUser();
await world.sql("insert into public.user_roles (user_id, role) values ($1, 'admin')", admin);
await world.sql(
  `with placed as (
     insert into public.orders (status, confirmed_at, total_amount, ticket_count, buyer_full_name, buyer_email, buyer_phone_number)
     select 'confirmed', now(), $2, 1, 'Fan ' || n, 'fan' || n || '@people.test', '713-555-0100' from generate_series(1, $3::integer) as n
     returning id, buyer_full_name, buyer_email
   ), lines as (
     insert into public.order_items (order_id, position, product_id, kind, name, quantity, unit_price)
     select id, 1, $1, 'ticket', 'General Admission', 1, $2 from placed returning id, order_id
   )
   insert into public.tickets (order_id, order_item_id, ticket_type_id, position, attendee_name, attendee_email)
   select placed.id, lines.id, $1, 1, buyer_full_name, buyer_email from placed join lines on lines.order_id = placed.id`,
  shop.general.id,
  shop.general.price,
  CROWD,
);

async function asAdmin<Answer>(call: string, ...values: unknown[]): Promise<Answer> {
  const caller = { claims: { role: "authenticated", sub: admin }, headers: {} };
  const { rows } = await world.db.database.transaction(caller, (tx) =>
    tx.query(`select public.${call} as answer`, values),
  );
  return rows[0]!.answer as Answer;
}

interface Progress {
  readonly waiting: number;
  readonly sent: number;
  readonly bounced: number;
  readonly working: boolean;
}
async function progress(): Promise<Progress> {
  const { rows } = await asAdmin<{ rows: Progress[] }>("list_messages()");
  const { waiting, sent, bounced, working } = rows[0]!;
  return { waiting, sent, bounced, working };
}

it("reaches each of 600 buyers once through a restart, and shows the one invalid address", async () => {
  const id = randomUUID();
  const audience = { people: "buyers", type_ids: [], state: "valid" };
  expect(await asAdmin("send_message($1, 'Doors', 'At nine.', $2)", id, audience)).toBe(CROWD);
  expect(await progress()).toEqual({ waiting: CROWD, sent: 0, bounced: 0, working: true });

  world.functions.startJobs();
  await sink.accepted(300);
  await world.functions.close();
  const sent = sink.recipients.length;
  expect(sent).toBeLessThanOrEqual(300 + RUN);
  const stopped = await progress();
  expect(stopped).toMatchObject({ sent, working: true });
  expect(stopped.waiting + stopped.bounced).toBe(CROWD - sent);
  expect(
    await world.sql("select from public.message_recipients where state = 'sending'"),
    "left by the server that stopped",
  ).toEqual([]);

  restarted = await openWorld({ beside: world, mailer });
  restarted.functions.startJobs();
  await sink.accepted(CROWD - 1);
  const whole = { waiting: 0, sent: CROWD - 1, bounced: 1, working: false };
  await expect.poll(progress).toEqual(whole);
  await restarted.functions.close();
  const others = Array.from({ length: CROWD }, (_, index) => fan(index + 1)).filter(
    (to) => to !== NO_ADDRESS,
  );
  expect(sink.recipients.toSorted()).toEqual(others.toSorted());
  expect(await asAdmin("list_message_bounces($1)", id)).toMatchObject([
    { email: NO_ADDRESS, problem: expect.stringContaining("550 5.1.1 No such user") },
  ]);
}, 180_000);
