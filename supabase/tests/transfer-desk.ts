// Tickets that are sold, offered and passed on, for the tests of transfers and corrections: `const { gate, bought } = await
// openTransfers()` at the top of a file.
import { afterAll, beforeEach, expect } from "vitest";
import { cloneDatabase } from "../../server/testing/database.ts";
import { openGateWorld, type Sold } from "./gate/world.ts";

export async function openTransfers() {
  const db = await cloneDatabase();
  const gate = await openGateWorld(db);
  const phone = await gate.phone("North");
  // Yesterday's offers count toward no limit.
  beforeEach(() =>
    gate.sql("update public.ticket_transfers set offered_at = offered_at - interval '25 hours'"),
  );
  afterAll(() => db.close());

  /** Transfers close two weeks before the festival. The gate stays open, although the date moves after scans. */
  async function inDays(days: number) {
    await gate.sql(
      "update public.festival set starts_at = now() + make_interval(days => $1), ends_at = now() + make_interval(days => $1, hours => 11)",
      days,
    );
    await gate.settings("doors_open_at = null");
  }
  const buyerOf = async ({ order }: Sold) =>
    (await gate.sql("select user_id from public.orders where id = $1", order))[0]!.user_id as string;
  const ticketRow = async (id: string) =>
    (await gate.sql("select * from public.tickets where id = $1", id))[0]!;
  const offer = (user: string, tickets: readonly string[], email = "ben@people.test", name = "Ben Diaz") =>
    gate.call(user, "offer_transfer", [tickets, name, email]) as Promise<string>;
  const recall = (user: string, offerId: string) => gate.call(user, "recall_transfer", [offerId]);
  /** As drain-outbox does when the mail goes out. */
  const tokenOf = async (offerId: string) => {
    const token = `token of ${offerId}`;
    await gate.sql("select public.arm_transfer($1, $2)", offerId, token);
    return token;
  };
  const accept = async (token: string, user: string | null = null) =>
    (await gate.sql("select public.accept_transfer($1, $2) as answer", token, user))[0]!.answer;
  const look = async (token: string, user: string | null = null) =>
    (await gate.sql("select public.look_up_transfer($1, $2) as answer", token, user))[0]!.answer;
  /** While this confirmed address is the account's. */
  async function withMail<T>(user: string, address: string, act: () => Promise<T>): Promise<T> {
    await gate.sql(
      "update auth.users set email = $2, email_confirmed_at = now() where id = $1",
      user,
      address,
    );
    const done = await act();
    await gate.sql("update auth.users set email = null where id = $1", user);
    return done;
  }
  const claim = async (address: string) => {
    const user = await gate.newUser();
    return withMail(user, address, () => gate.call(user, "claim_kept_tickets", []));
  };
  const states = async (offerId: string) =>
    (
      await gate.sql(
        "select state, expired_because as because from public.ticket_transfers where offer_id = $1",
        offerId,
      )
    ).map(({ state, because }) => [state, because].filter(Boolean).join(": "));
  const mails = async (order: string) =>
    (
      await gate.sql(
        `select kind || coalesce(':' || (payload ->> 'news'), '') || ' ' || (payload ->> 'email') as mail from public.outbox
          where payload ->> 'order_id' = $1 and kind in ('transfer_mail', 'ticket_mail', 'replaced_mail', 'void_mail') order by id`,
        order,
      )
    ).map(({ mail }) => mail as string);
  const seenBy = async (user: string, id: string) => {
    const scope = { claims: { role: "authenticated", sub: user }, headers: {} };
    return db.database.transaction(
      scope,
      async (tx) => (await tx.query("select from public.tickets where id = $1", [id])).rowCount,
    );
  };
  async function bought(units = 1): Promise<{ sold: Sold; buyer: string; ticket: string }> {
    const sold = await gate.sell({ general: units });
    return { sold, buyer: await buyerOf(sold), ticket: sold.tickets[0]! };
  }
  async function passedOn(to: string | null, units = 1) {
    const one = await bought(units);
    const token = await tokenOf(await offer(one.buyer, [one.ticket]));
    expect(await accept(token, to)).toMatchObject({ state: "accepted" });
    return { ...one, token };
  }
  await inDays(60);

  return {
    db,
    gate,
    phone,
    inDays,
    buyerOf,
    ticketRow,
    offer,
    recall,
    tokenOf,
    accept,
    look,
    withMail,
    claim,
    states,
    mails,
    seenBy,
    bought,
    passedOn,
  };
}
