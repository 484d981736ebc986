// A token outlives its session by up to an hour, but not for buying, paying or fetching a code.
import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { cartOf } from "../../../../shop/testing/cart.ts";
import { openShop } from "../../../../shop/testing/open-shop.ts";

const { world, shop } = await openShop();

async function signedIn() {
  const [user, session] = [await world.newUser(), randomUUID()];
  await world.sql("insert into auth.sessions (id, user_id) values ($1, $2)", session, user);
  const order = () =>
    world.call("create-payment-intent", { as: user, session, body: cartOf([shop.general, 1]) });
  return { user, session, order };
}

describe("ordering, paying and fetching a code are refused", () => {
  it.each([
    ["has signed out", "delete from auth.sessions where user_id = $1"],
    ["was banned", "update auth.users set banned_until = now() + interval '1 day' where id = $1"],
    ["was deleted", "update auth.users set deleted_at = now() where id = $1"],
  ])("to a user who %s, at once", async (_, statement) => {
    const { user, session, order } = await signedIn();
    const other = await signedIn();
    const placed = await order();
    expect(placed.status).toBe(200);
    await world.sql(statement, user);
    const refused = { status: 401, body: { error: { code: "unauthorized" } } };
    expect(await order()).toMatchObject(refused);
    const { paymentIntentId } = placed.body;
    for (const [name, body] of [
      ["process-payment", { paymentIntentId }],
      ["verify-payment", { sessionId: "cs_test_1" }],
      ["generate-qr-code", { ticketId: randomUUID() }],
    ] as const) {
      expect(await world.call(name, { as: user, session, body })).toMatchObject(refused);
    }
    expect((await other.order()).status).toBe(200);
  });

  it.each([
    ["has signed out", "delete from auth.sessions where user_id = $1"],
    ["was banned", "update auth.users set banned_until = now() + interval '1 day' where id = $1"],
    ["was deleted", "update auth.users set deleted_at = now() where id = $1"],
  ])("refuses to release the hold of a user who %s", async (_, statement) => {
    const { user, session, order } = await signedIn();
    await order();
    const [placed] = await world.sql<{ id: string }>("select id from public.orders where user_id = $1", user);
    const release = async () => {
      const claims = { role: "authenticated", sub: user, session_id: session };
      const text = "select public.release_hold($1) as released";
      const { rows } = await world.db.database.run({ claims }, { text, values: [placed!.id] });
      return rows[0]!.released;
    };
    const standing = async () =>
      (await world.sql("select status from public.orders where id = $1", placed!.id))[0]!.status;
    await world.sql(statement, user);
    await expect(release()).rejects.toMatchObject({ code: "42501" });
    expect(await standing()).toBe("pending");
    await world.sql(
      "insert into auth.sessions (id, user_id) values ($1, $2) on conflict do nothing",
      session,
      user,
    );
    await world.sql("update auth.users set banned_until = null, deleted_at = null where id = $1", user);
    expect(await release()).toBe(true);
    expect(await standing()).toBe("cancelled");
  });

  it("cannot use somebody else's session", async () => {
    const [one, other] = [await signedIn(), await signedIn()];
    const body = cartOf([shop.general, 1]);
    const mixed = await world.call("create-payment-intent", { as: one.user, session: other.session, body });
    expect(mixed.status).toBe(401);
  });
});

describe("an administrator", () => {
  it("loses the back office when signed out, banned or demoted", async () => {
    const { user, session } = await signedIn();
    const kept = await signedIn();
    await world.sql(
      "insert into public.user_roles (user_id, role) values ($1, 'admin'), ($2, 'admin')",
      user,
      kept.user,
    );
    const isAdmin = async () => {
      const claims = { role: "authenticated", sub: user, session_id: session };
      const { rows } = await world.db.database.run(
        { claims },
        { text: "select public.is_admin() as yes, (select count(*)::int from public.user_roles) as roles" },
      );
      return [rows[0]!.yes, rows[0]!.roles];
    };
    const [yes, seen] = await isAdmin();
    expect([yes, seen > 1]).toEqual([true, true]);
    await world.sql("update auth.users set banned_until = now() + interval '1 day' where id = $1", user);
    expect(await isAdmin()).toEqual([false, 1]);
    await world.sql("update auth.users set banned_until = null where id = $1", user);
    expect((await isAdmin())[0]).toBe(true);
    await world.sql("delete from auth.sessions where id = $1", session);
    expect(await isAdmin()).toEqual([false, 1]);
  });
});
