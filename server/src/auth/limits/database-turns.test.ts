// One network's flood must not take the connections that everyone else signs in with.
import { expect, it } from "vitest";
import { PASSWORD, useAuth } from "../../../testing/auth.ts";

const auth = await useAuth();

it("lets others sign in while one network creates more accounts than there are connections", async () => {
  await auth.signedUp("ada@people.test");
  const service = auth.database.asService("the test holds the flood up");
  await service.query(`
    create function public.hold_up() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock(58); return new; end $$;
    create trigger hold_up before insert on auth.users for each row
      when (new.email like 'gate-%') execute function public.hold_up()`);
  const key = await auth.serviceKey();
  let flood: Promise<unknown>[] = [];
  let made = 0;
  await service.transaction(async (tx) => {
    await tx.query("select pg_advisory_xact_lock(58)");
    auth.comeFrom("203.0.113.99");
    flood = Array.from({ length: 30 }, async (_, n) => {
      const { status } = await auth.call("POST", "/admin/users", { email: `gate-${n}@gate.invalid` }, key);
      if (status === 200) made++;
    });
    const waiting = async () =>
      (
        await tx.query(
          `select from pg_locks join pg_database d on d.oid = database
            where datname = current_database() and locktype = 'advisory' and not granted`,
        )
      ).rows.length;
    await expect.poll(waiting).toBeGreaterThan(0);
    auth.comeFrom("203.0.113.8");
    const given = { email: "ada@people.test", password: PASSWORD };
    const answers = Array.from({ length: 3 }, () => auth.call("POST", "/token?grant_type=password", given));
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(made).toBe(0);
  });
  await Promise.all(flood);
  expect(made).toBe(30);
});
