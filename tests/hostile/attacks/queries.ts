// Questions that are cheap to ask and dear to answer.
import { type Attack, ask, type Target } from "./attack.ts";

/** A read that no filter of ours allows any more: `ticket_types?endless=is.true` takes a minute for each row. */
export const ENDLESS = `
  create or replace function public.endless(public.ticket_types) returns boolean language plpgsql as
    'begin perform pg_sleep(60); return true; end';
  grant execute on function public.endless(public.ticket_types) to anon, authenticated`;
const endless = async ({ database }: Target) => {
  await database.query(ENDLESS);
};
const SLOW = encodeURIComponent(`*${"a*b*".repeat(20)}z*`);
const EXPLODING = `select=id,i:order_items(*,o:orders(*,i:order_items(${Array.from({ length: 90 }, (_, n) => `a${n}:name`).join()})))`;

/** A statement that its role's time limit ended. */
const ENDED = /^422 57014$/;

/** A text on which patterns are slow. */
const slowText = async ({ database }: Target) => {
  await database.query("update public.ticket_types set description = repeat('ab ', 80) || 'z' where is_vip");
};

/** Accounts whose orders match themselves, and fill answers with little work. */
export async function manyOrders({ database, attackers }: Target): Promise<void> {
  await database.query(
    `with placed as (insert into public.orders (user_id, status, cancel_reason, total_amount, buyer_full_name, buyer_email,
           buyer_phone_number, attendees)
         select account, 'cancelled', 'replaced', 1, 'Greedy', 'a@people.test', '713-555-0100',
           jsonb_build_array(jsonb_build_object('name', repeat('n', 6000), 'email', 'a@people.test'))
         from unnest($1::uuid[]) as account, generate_series(1, 100)
         where not exists (select from public.orders where user_id = account and buyer_full_name = 'Greedy') returning id)
     insert into public.order_items (order_id, position, product_id, kind, name, quantity, unit_price)
       select placed.id, n, (select id from public.ticket_types limit 1), 'ticket', 'Ticket', 1, 1
       from placed, generate_series(1, 20) n`,
    [attackers.map(({ id }) => id)],
  );
}

export const QUERIES: readonly Attack[] = [
  {
    name: "endless searches",
    attackers: 30,
    must: [ENDED],
    prepare: endless,
    act: (target, n) => ask(target, n, "/rest/v1/ticket_types?select=id&endless=is.true"),
  },
  {
    name: "slow questions of three accounts",
    attackers: 12,
    must: [ENDED],
    prepare: endless,
    act: (target, n) =>
      ask(target, n % 3, "/rest/v1/ticket_types?select=id&endless=is.true", {
        token: target.attackers[n % 3]!.token,
      }),
  },
  {
    name: "slow patterns",
    attackers: 64,
    must: [/^200$/],
    prepare: slowText,
    act: (target, n) =>
      ask(target, n, `/rest/v1/ticket_types?select=id&or=(description.ilike.${SLOW},name.ilike.${SLOW})`),
  },
  {
    name: "answers that explode",
    attackers: 16,
    must: [/^413 54000$/],
    prepare: manyOrders,
    act: (target, n) =>
      ask(target, n, `/rest/v1/orders?${EXPLODING}`, {
        token: target.attackers[n % target.attackers.length]!.token,
      }),
  },
];
