// Transactions that meet at one order wait for each other in one direction only.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Executor, ServiceDatabase } from "../../server/src/postgres/executor.ts";
import { cloneDatabase, type TestDatabase } from "../../server/testing/database.ts";
import { untilWaitingOn } from "../../server/testing/waiting.ts";
import { type GateWorld, openGateWorld, type Phone } from "./gate/world.ts";

let db: TestDatabase;
let service: ServiceDatabase;
let untilWaiting: ReturnType<typeof untilWaitingOn>;
let gate: GateWorld;
let phone: Phone;
beforeAll(async () => {
  db = await cloneDatabase();
  service = db.database.asService("the test plays all parts");
  untilWaiting = untilWaitingOn(service);
  gate = await openGateWorld(db);
  phone = await gate.phone();
});
afterAll(() => db.close());

const general: string = "0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e1001";
const youth: string = "0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e1003";

const newBuyer = async () => {
  const { rows } = await service.query<{ id: string }>(
    "insert into auth.users (id, email) select id, id || '@people.test' from gen_random_uuid() as id returning id",
  );
  return rows[0]!.id;
};

/** The statement's values. Refused when it would wait for a lock: the transactions of these tests end only after it. */
const unblocked = <T>(text: string, ...values: unknown[]): Promise<T[]> =>
  service.transaction(async (tx) => {
    await tx.query("set local lock_timeout = '2s'");
    const { rows } = await tx.query<Record<string, T>>(text, values);
    return rows.map((row) => Object.values(row)[0]!);
  });

it("a declined card and a confirmation of the same payment", async () => {
  const { rows } = await service.query<{ id: string }>(
    `insert into public.orders (status, total_amount, buyer_full_name, buyer_email, buyer_phone_number, attendees, ticket_count, hold_expires_at)
      values ('pending', 45, 'Buyer', 'buyer@people.test', '713-555-0100', '[]', 0, now() + interval '15 minutes') returning id`,
  );
  const order = rows[0]!.id;
  const [confirmed, failed] = await service.transaction(async (tx) => {
    await tx.query("select from public.orders where id = $1 for update", [order]);
    const confirming = service.query("select public.confirm_order($1, 'pi_1', 4500) ->> 'status' as status", [
      order,
    ]);
    await untilWaiting(1);
    const failing = service.query("select public.fail_payment($1, 'pi_1', 'declined', 'evt_1', now())", [
      order,
    ]);
    await untilWaiting(2);
    return [confirming, failing];
  });

  await failed;
  expect((await confirmed).rows).toEqual([{ status: "confirmed" }]);
});

it("two refunds of one payment, reported at once", async () => {
  await service.query(
    `insert into public.payments (payment_intent_id, order_id, amount, status, succeeded_at)
      select 'pi_2', id, 45, 'refund_pending', now() from public.orders limit 1`,
  );
  const { rows } = await service.query<{ id: string }>(
    `insert into public.refunds (payment_intent_id, order_id, amount, reason)
      select payment_intent_id, order_id, cents, 'asked' from public.payments, unnest(array[20, 25]) as cents
      where payment_intent_id = 'pi_2' returning id`,
  );
  const mark = (on: Executor, index: number) =>
    on.query("select public.mark_refund($1, null, 'succeeded')", [rows[index]!.id]);
  const [second] = await service.transaction(async (tx) => {
    await mark(tx, 0);
    const other = mark(service, 1);
    await untilWaiting(1);
    return [other];
  });
  await second;

  const payments = await service.query("select status from public.payments where payment_intent_id = 'pi_2'");
  expect(payments.rows).toEqual([{ status: "refunded" }]);
});

describe("a scan during a refund of the same order", () => {
  const soldTicket = async () => {
    const intent = `pi_${crypto.randomUUID()}`;
    const { rows: orders } = await service.query<{ id: string }>(
      `with placed as (
         insert into public.orders (status, total_amount, buyer_full_name, buyer_email, buyer_phone_number, attendees,
             ticket_count, hold_expires_at)
           select 'pending', price, 'Buyer', 'buyer@people.test', '713-555-0100',
             jsonb_build_array(jsonb_build_object('name', 'Ana', 'email', 'ana@people.test', 'ticket_type_id', id)), 1,
             now() + interval '15 minutes'
           from public.ticket_types where name = 'General Admission' returning id
       ), item as (
         insert into public.order_items (order_id, position, product_id, kind, name, quantity, unit_price)
           select placed.id, 1, t.id, 'ticket', t.name, 1, t.price from placed, public.ticket_types t where t.name = 'General Admission'
       ), stock as (
         update public.ticket_types set held = held + 1, current_inventory = current_inventory - 1 where name = 'General Admission'
       ) select id from placed`,
    );
    const order = orders[0]!.id;
    await service.query("select public.confirm_order($1, $2, 4500)", [order, intent]);
    const { rows } = await service.query<{ id: string }>(
      "select id from public.tickets where order_id = $1",
      [order],
    );
    return { order, ticket: rows[0]!.id };
  };
  const refund = (on: Executor, order: string) =>
    on.query("select public.take_back($1, null, null)", [order]);
  const scan = async (ticket: string) =>
    (await phone.scan({ code_id: ticket, issue_number: null }))[0]?.result;
  const lock = (on: Executor, order: string) =>
    on.query("select from public.orders where id = $1 for update", [order]);

  it("waits for the order, and finds the ticket void", async () => {
    const { order, ticket } = await soldTicket();
    const scanned = await service.transaction(async (tx) => {
      await lock(tx, order);
      const scanning = scan(ticket);
      await untilWaiting(1);
      await refund(tx, order);
      return [scanning];
    });
    expect(await scanned[0]!).toBe("void");
  });

  it("is refused at once when it is a plain update of the ticket", async () => {
    const { order, ticket } = await soldTicket();
    await service.transaction(async (tx) => {
      await lock(tx, order);
      await expect(
        service.query("update public.tickets set checked_in_at = now() where id = $1", [ticket]),
      ).rejects.toMatchObject({ code: "55P03" });
      await refund(tx, order);
    });
    const { rows } = await service.query("select status from public.orders where id = $1", [order]);
    expect(rows).toEqual([{ status: "cancelled" }]);
  });

  it("waits for the order, as an undo and a way out do", async () => {
    for (const action of ["undo", "out"] as const) {
      const { order, ticket } = await soldTicket();
      await scan(ticket);
      const [acted] = await service.transaction(async (tx) => {
        await lock(tx, order);
        const acting = phone.scan({ code_id: ticket, action, reason: "mistake" });
        await untilWaiting(1);
        await refund(tx, order);
        return [acting];
      });
      expect(await acted).toMatchObject([{ result: action === "undo" ? "undone" : "let_out" }]);
    }
  });

  it("is recorded, even from two queues with the same orders in opposite order", async () => {
    const sold = await Promise.all(Array.from({ length: 8 }, soldTicket));
    const queue = sold.map(({ ticket }) => ({
      code_id: ticket,
      issue_number: null,
      decided: "admitted" as const,
    }));
    const [[one, other]] = await service.transaction(async (tx) => {
      await lock(tx, sold[4]!.order);
      const both = [phone.scan(...queue), phone.scan(...queue.toReversed())] as const;
      await untilWaiting(2);
      return [both];
    });
    const answers = [...(await one), ...(await other)];
    expect(answers.map(({ result }) => result)).toEqual(Array.from({ length: 16 }, () => "admitted"));
    expect(answers.filter(({ conflict }) => conflict)).toHaveLength(8);
  });

  it("completes the order when everybody is in, and lets nobody in twice", async () => {
    const { order, ticket } = await soldTicket();
    const scans = await Promise.all(Array.from({ length: 4 }, () => scan(ticket)));
    expect(scans.toSorted()).toEqual(["admitted", "already_in", "already_in", "already_in"]);
    const { rows } = await service.query("select status from public.orders where id = $1", [order]);
    expect(rows).toEqual([{ status: "completed" }]);
  });
});

it("only a confirmation locks an order for update, which foreign keys wait for", async () => {
  // claim_places locks places (w) and only reads the order.
  const lockers = await unblocked<string>(
    "select proname::text from pg_proc where prosrc ~ 'public\\.orders\\y[^;]*\\yfor update(?! of w\\y)'",
  );
  expect(lockers.toSorted()).toEqual(["confirm_free_order", "confirm_order", "confirm_orders"]);
});

describe("the waitlist", () => {
  const enter = async (user: string, type: string, state = "waiting") => {
    const { rows } = await service.query<{ id: string }>(
      `insert into public.waitlist_entries (user_id, ticket_type_id, quantity, state, offered, offer_expires_at)
        values ($1, $2, 1, $3, ($3 = 'offered')::integer, now() - interval '1 second') returning id`,
      [user, type, state],
    );
    return rows[0]!.id;
  };
  const stateOf = (entry: string) =>
    unblocked<string>("select state from public.waitlist_entries where id = $1", entry);
  const lineOf = (type: string) =>
    unblocked<number>("select waiting + offered from public.ticket_types where id = $1", type);
  /** While the first type, by id, is locked, `work` waits for it and holds no later one. */
  const takesTypesInOrder = async (work: () => Promise<unknown>) => {
    const [done] = await service.transaction(async (tx) => {
      await tx.query("select from public.ticket_types where id = $1 for update", [general]);
      const working = work();
      await untilWaiting(1);
      await unblocked("select from public.ticket_types where id = $1 for update nowait", youth);
      return [working];
    });
    await done;
  };
  beforeEach(() => service.query("delete from public.waitlist_entries"));

  it("ends places and makes offers of several types in the order of their stock", async () => {
    const over = await enter(await newBuyer(), youth, "offered");
    const next = await enter(await newBuyer(), general);
    await takesTypesInOrder(() => service.query("select public.offer_places()"));
    expect([await stateOf(over), await stateOf(next)]).toEqual([["expired"], ["offered"]]);
  });

  it("returns the units of a deleted account in the order of their stock", async () => {
    const user = await newBuyer();
    await enter(user, youth, "offered");
    await enter(user, general);
    await takesTypesInOrder(() => service.query("delete from auth.users where id = $1", [user]));
    expect([await lineOf(general), await lineOf(youth)]).toEqual([[0], [0]]);
  });

  it("passes over somebody who is leaving, instead of waiting for them with the stock in its hands", async () => {
    await enter(await newBuyer(), general, "offered");
    const [leaving, next] = [
      await enter(await newBuyer(), general),
      await enter(await newBuyer(), general),
    ] as const;
    await service.transaction(async (tx) => {
      await tx.query("select from public.waitlist_entries where id = $1 for update", [leaving]);
      expect(await unblocked("select public.offer_places()")).toEqual([1]);
      await tx.query("update public.waitlist_entries set state = 'left' where id = $1", [leaving]);
    });
    expect([await stateOf(leaving), await stateOf(next)]).toEqual([["left"], ["offered"]]);
  });

  it("passes over somebody whose account is being deleted, who would wait for the stock", async () => {
    await enter(await newBuyer(), general, "offered");
    const [leaver, buyer] = [await newBuyer(), await newBuyer()];
    const leaving = await enter(leaver, general);
    const next = await enter(buyer, general);
    await service.transaction(async (tx) => {
      await tx.query("select from auth.users where id = $1 for update", [leaver]);
      expect(await unblocked("select public.offer_places()")).toEqual([1]);
    });
    expect([await stateOf(leaving), await stateOf(next)]).toEqual([["waiting"], ["offered"]]);
  });

  it("offers the front its ticket while an administrator offers it to them out of turn", async () => {
    const admin = await newBuyer();
    await service.query("insert into public.user_roles (user_id, role) values ($1, 'admin')", [admin]);
    const front = await enter(await newBuyer(), general);
    const claims = { role: "authenticated", sub: admin };
    const [offer] = await service.transaction(async (tx) => {
      await tx.query("select from public.ticket_types where id = $1 for update", [general]);
      const offering = db.database
        .transaction({ claims }, (own) => own.query("select public.offer_place($1)", [front]))
        .catch((error: Error) => error.message);
      await untilWaiting(1);
      await tx.query("select public.offer_type($1, 10)", [general]);
      return [offering];
    });
    expect(await offer).toBe("This person is no longer on the waitlist.");
    expect(await stateOf(front)).toEqual(["offered"]);
  });

  describe("of VIP, which needs parking,", () => {
    const leaveParking = (tx: Executor, units: number) =>
      tx.query("update public.parking_passes set current_inventory = $1 where is_general", [units]);
    const enterVip = async () => {
      const { rows } = await service.query<{ id: string }>(
        `insert into public.ticket_types (name, price, current_inventory, total_inventory)
          values ('VIP ' || gen_random_uuid(), 150, 1, 1) returning id`,
      );
      return enter(await newBuyer(), rows[0]!.id);
    };
    beforeEach(() => leaveParking(service, 1));
    afterAll(() => leaveParking(service, 100));

    it("offers the last space once while an administrator offers two types", async () => {
      const admin = await newBuyer();
      await service.query("insert into public.user_roles (user_id, role) values ($1, 'admin')", [admin]);
      const [one, other] = [await enterVip(), await enterVip()];
      const scope = { claims: { role: "authenticated", sub: admin } };
      const offer = (entry: string) =>
        db.database.transaction(scope, (own) => own.query("select public.offer_place($1)", [entry]));
      const [refusal] = await db.database.transaction(scope, async (own) => {
        await own.query("select public.offer_place($1)", [one]);
        const offering = offer(other).catch((error: Error) => error.message);
        await untilWaiting(1);
        return [offering];
      });
      expect(await refusal).toMatch(/^No parking is left/);
      expect([await stateOf(one), await stateOf(other)]).toEqual([["offered"], ["waiting"]]);
    });

    it("offers no space that is being sold", async () => {
      const entry = await enterVip();
      const [offers] = await service.transaction(async (tx) => {
        await leaveParking(tx, 0);
        const offering = service.query("select public.offer_places()");
        await untilWaiting(1);
        return [offering];
      });
      await offers;
      expect(await stateOf(entry)).toEqual(["waiting"]);
    });
  });

  it("locks no stock for the places that a deleted account had long ago", async () => {
    const user = await newBuyer();
    await enter(user, general, "left");
    await service.transaction(async (tx) => {
      await tx.query("select from public.ticket_types where id = $1 for update", [general]);
      await unblocked("delete from auth.users where id = $1", user);
    });
  });
});

describe("the deletion of an account", () => {
  /** Somebody who has just signed in, and what they call: "done", or why not. */
  const leaver = async () => {
    const user = await newBuyer();
    await service.query("update auth.users set email_confirmed_at = now() where id = $1", [user]);
    const lately = { method: "password", timestamp: Math.floor(Date.now() / 1000) };
    const claims = { role: "authenticated", sub: user, amr: [lately] };
    const headers = { "x-visit-session": `session-of-${user}` };
    const call = (text: string, ...values: unknown[]) =>
      db.database
        .transaction({ claims, headers }, (tx) => tx.query(text, values))
        .then(
          () => "done",
          ({ message }: Error) => message,
        );
    const leave = () => call("select public.delete_my_account($1, true)", `${user}@people.test`);
    return { user, call, leave };
  };
  /** Begins both while `held`, for which the first waits, is locked by a transaction that is then undone. */
  const bothDuring = async (
    held: (tx: Executor) => Promise<unknown>,
    ...both: readonly (() => Promise<string>)[]
  ) => {
    const outcomes: Promise<string>[] = [];
    const undone = service.transaction(async (tx) => {
      await held(tx);
      for (const begin of both) await untilWaiting(outcomes.push(begin()));
      throw new Error("undone");
    });
    await expect(undone).rejects.toThrow("undone");
    return Promise.all(outcomes);
  };

  it("waits for an offer of a ticket that the account holds", async () => {
    await service.query(
      "update public.festival set starts_at = now() + interval '60 days', ends_at = now() + interval '61 days'",
    );
    const { user, call, leave } = await leaver();
    const { order, tickets } = await gate.sell({ general: 1 });
    await service.query("update public.tickets set user_id = $1 where id = $2", [user, tickets[0]]);
    const { rows } = await service.query<{ id: string }>(
      `insert into public.ticket_transfers (offer_id, ticket_id, order_id, ticket_name, from_name, from_attendee, to_name, to_email,
          state, ended_at)
        values (gen_random_uuid(), $1, $2, 'General Admission', 'Ana', 'Ana', 'Ben', 'ben@people.test', 'recalled', now())
        returning id`,
      [tickets[0], order],
    );
    // With the ticket locked, the offer waits for whether this other offer of the ticket holds.
    const other = "update public.ticket_transfers set state = 'offered', ended_at = null where id = $1";
    const outcomes = await bothDuring(
      (tx) => tx.query(other, [rows[0]!.id]),
      () => call("select public.offer_transfer($1, 'Cleo', 'cleo@people.test')", tickets),
      leave,
    );
    expect(outcomes).toEqual(["done", "done"]);
  });

  it("waits for scans of tickets of other people's orders that the account holds", async () => {
    const { user, leave } = await leaver();
    const [other, older, newer] = (await Promise.all([1, 2, 3].map(() => gate.sell({ general: 1 })))).map(
      ({ tickets }) => tickets[0]!,
    );
    // A deletion comes to the newer first: by its time, and where its row is.
    await service.query("update public.entry_codes set created_at = now() where id = $1", [newer]);
    for (const id of [newer, older]) {
      await service.query("update public.tickets set user_id = $1 where id = $2", [user, id]);
    }
    const queue = [older, other, newer].map((id) => ({ code_id: id, decided: "admitted" as const }));
    const outcomes = await bothDuring(
      (tx) => tx.query("select from public.tickets where id = $1 for update", [other]),
      async () => (await phone.scan(...queue)).map(({ result }) => result).join(),
      leave,
    );
    expect(outcomes).toEqual(["admitted,admitted,admitted", "done"]);
  });

  it("keeps no cart of the account waiting while it waits for a report of visits", async () => {
    const { user, call, leave } = await leaver();
    const visit = { id: crypto.randomUUID(), user_id: user, page_path: "/", visit_duration: 5 };
    await call("select public.record_visits($1)", JSON.stringify([visit]));
    const [left] = await service.transaction(async (tx) => {
      await tx.query("select from public.site_visits where id = $1 for update", [visit.id]);
      const leaving = leave();
      await untilWaiting(1);
      const lock = "select pg_try_advisory_xact_lock(hashtextextended('buyer ' || $1, 0))";
      expect(await unblocked(lock, user)).toEqual([true]);
      return [leaving];
    });
    expect(await left).toBe("done");
  });

  it("waits for a report of the account's visits", async () => {
    const { user, call, leave } = await leaver();
    const ids = Array.from({ length: 3 }, () => crypto.randomUUID()).toSorted();
    const report = (...of: (string | undefined)[]) =>
      call(
        "select public.record_visits($1)",
        JSON.stringify(of.map((id) => ({ id, user_id: user, page_path: "/", visit_duration: 5 }))),
      );
    expect(await report(ids[0], ids[2])).toBe("done");
    const outcomes = await bothDuring(
      (tx) => tx.query("select from public.site_visits where id = $1 for update", [ids[2]]),
      () => report(...ids),
      leave,
    );
    expect(outcomes).toEqual(["done", "done"]);
  });
});
