// The way out of the organizers' messages: in each of them, by one press, for everything but what its owner must know.
import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { cartOf } from "../../../../shop/testing/cart.ts";
import { pay, place } from "../../../../shop/testing/carts.ts";
import { openShop } from "../../../../shop/testing/open-shop.ts";

const { world, shop } = await openShop();
const admin = await world.newUser();
await world.sql("insert into public.user_roles (user_id, role) values ($1, 'admin')", admin);

const as = async (user: string, text: string, ...values: unknown[]) =>
  (
    await world.db.database.transaction({ claims: { role: "authenticated", sub: user }, headers: {} }, (tx) =>
      tx.query(text, values),
    )
  ).rows[0]?.answer;
const everybody = { people: "everybody", type_ids: [], state: "valid" };
const preview = () => as(admin, "select public.preview_message_audience($1) as answer", everybody);
const drain = (lane: "mail" | "bulk") =>
  world.call("drain-outbox", { as: "service", query: `?lane=${lane}` });

/** Its mails, by address. */
async function send() {
  const id = randomUUID();
  await as(admin, "select public.send_message($1, 'Doors', 'At nine.', $2) as answer", id, everybody);
  return deliver();
}
async function deliver() {
  world.mails.length = 0;
  await drain("bulk");
  return new Map(world.mails.map((mail) => [mail.to, mail]));
}

const LINK = /http:\/\/shop\.test\/functions\/v1\/unsubscribe\?token=([0-9a-f]{96})$/;
const tokenFor = async (email: string) => LINK.exec((await send()).get(email)!.unsubscribe!)![1]!;
const press = (query: string, form: Record<string, string> | string = { "List-Unsubscribe": "One-Click" }) =>
  world.call("unsubscribe", {
    query,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(form).toString(),
  });
const onPage = (token: string, wanted?: boolean) =>
  world.call("unsubscribe", { body: { token, wanted } }).then(({ body }) => body.state);
const optedOut = () =>
  world.sql<{ address_hash: Buffer }>("select address_hash from public.message_opt_outs");

const buyer = await world.newUser();
const email = "Ana@people.test";
const placed = await place(world, buyer, cartOf([shop.general, 2]));
await pay(world, placed);
await world.call("process-payment", { as: buyer, body: { paymentIntentId: placed.paymentIntentId } });
const guest = "guest2@people.test";

beforeEach(async () => {
  await world.sql("update public.outbox set done_at = now() where done_at is null");
  await world.sql("delete from public.message_opt_outs");
  await world.sql("update public.orders set buyer_email = $1", email);
  await world.sql("update public.tickets set attendee_email = $1 where position = 1", email);
});

describe("a message", () => {
  it("shows its reader the way out, and mail programs another, for its own address", async () => {
    const mails = await send();
    expect([...mails.keys()].toSorted()).toEqual([email, guest]);
    const tokens = [...mails.values()].map(({ unsubscribe, text, html }) => {
      const [, token] = LINK.exec(unsubscribe!)!;
      expect(text).toContain(
        `Unsubscribe from the organizers' messages: http://shop.test/unsubscribe#${token}`,
      );
      expect(html).toContain(`href="http://shop.test/unsubscribe#${token}"`);
      return token;
    });
    expect(new Set(tokens).size).toBe(2);
    expect(tokens.join()).not.toContain(Buffer.from(guest).toString("hex"));
  });

  it("shows them in its test too", async () => {
    await as(admin, "select public.send_message_test('Doors', 'Soon.')");
    world.mails.length = 0;
    await drain("mail");
    const [, token] = LINK.exec(world.mails[0]!.unsubscribe!)!;
    expect(world.mails[0]!.text).toContain(`http://shop.test/unsubscribe#${token}`);
  });

  it("leaves out who opted out, in whatever case the address is written, and says how many", async () => {
    const token = await tokenFor(email);
    expect(await preview()).toEqual({ recipients: 2, opted_out: 0, examples: [email, guest] });
    expect(await press(`?token=${token}`)).toEqual({ status: 200, body: { state: "opted_out" } });
    await world.sql("update public.orders set buyer_email = 'ANA@people.test'");
    expect(await preview()).toEqual({ recipients: 1, opted_out: 1, examples: [guest] });
    expect([...(await send()).keys()]).toEqual([guest]);
  });

  it("does not go to who opts out while it waits", async () => {
    const token = await tokenFor(email);
    const id = randomUUID();
    await as(admin, "select public.send_message($1, 'Doors', 'At nine.', $2) as answer", id, everybody);
    await press(`?token=${token}`);
    expect([...(await deliver()).keys()]).toEqual([guest]);
    expect(
      await world.sql("select email, state from public.message_recipients where message_id = $1", id),
    ).toEqual([{ email: guest, state: "sent" }]);
  });

  it("to nobody but those who opted out is refused", async () => {
    for (const one of [email, guest]) await press(`?token=${await tokenFor(one)}`);
    await expect(send()).rejects.toMatchObject({ message: "This selection has no recipients." });
  });
});

describe("who opted out still gets", () => {
  it("the announcement of a change, which has no way out", async () => {
    await press(`?token=${await tokenFor(email)}`);
    const [facts] = await world.sql<{ version: number; content: object }>(
      "select version, content from public.festival_sections where id = 'facts'",
    );
    const moved = {
      status: "moved",
      starts_at: "2025-07-04T11:00",
      ends_at: "2025-07-04T22:00",
      notice: "Moved",
    };
    await as(
      admin,
      "select public.announce_festival_change($1, $2, $3, 'none', null, 'A change', 'Read this.') as answer",
      randomUUID(),
      facts!.version,
      { ...facts!.content, ...moved },
    );
    const mails = await deliver();
    expect([...mails.keys()].toSorted()).toEqual([email, guest]);
    for (const { unsubscribe, text, html } of mails.values()) {
      expect(unsubscribe).toBeUndefined();
      expect(text + html).not.toMatch(/unsubscribe/i);
    }
  });

  it("mail about an order, which has no way out", async () => {
    await press(`?token=${await tokenFor(email)}`);
    await world.sql("select public.queue_order_mail($1)", placed.orderId);
    world.mails.length = 0;
    await drain("mail");
    const [mail] = world.mails.filter(({ to }) => to === email);
    expect(mail!.unsubscribe).toBeUndefined();
    expect(mail!.text + mail!.html).not.toMatch(/unsubscribe/i);
  });
});

describe("an opt-out", () => {
  it("is kept as a hash, and after the account is gone", async () => {
    const owner = await world.newUser();
    const address = `${owner}@people.test`;
    await world.sql("update public.tickets set attendee_email = $1 where position = 1", address);
    await press(`?token=${await tokenFor(address)}`);
    await world.sql("delete from auth.users where id = $1", owner);
    expect((await send()).has(address)).toBe(false);
    const kept = await world.sql("select row_to_json(o)::text as row from public.message_opt_outs o");
    expect(kept).toHaveLength(1);
    expect(JSON.stringify(kept)).not.toContain(owner);
  });

  it("is made and taken back on the page, as often as its owner likes", async () => {
    const token = await tokenFor(guest);
    expect(await onPage(token)).toBe("receiving");
    for (const wanted of [false, false]) expect(await onPage(token, wanted)).toBe("opted_out");
    expect(await onPage(token)).toBe("opted_out");
    expect(await optedOut()).toHaveLength(1);
    for (const wanted of [true, true]) expect(await onPage(token, wanted)).toBe("receiving");
    expect(await optedOut()).toEqual([]);
    expect((await send()).has(guest)).toBe(true);
  });

  it("is not made by following the link, which leads to the page", async () => {
    const token = await tokenFor(guest);
    for (const [query, page] of [
      [`?token=${token}`, `/unsubscribe#${token}`],
      ["?token=%0d%0aSet-Cookie:x", "/unsubscribe#%0D%0ASet-Cookie%3Ax"],
      ["", "/unsubscribe#"],
    ]) {
      const { status, headers } = await world.respond("unsubscribe", { method: "GET", query: query! });
      expect([status, headers.get("location")]).toEqual([303, `http://shop.test${page}`]);
    }
    expect(await optedOut()).toEqual([]);
  });

  it("is made by a form in parts too, and by no other form", async () => {
    const token = await tokenFor(guest);
    expect(await press(`?token=${token}`, { "List-Unsubscribe": "Later" })).toMatchObject({ status: 400 });
    expect(await press(`?token=${token}`, {})).toMatchObject({ status: 400 });
    const parts = (body: string) =>
      world.call("unsubscribe", {
        query: `?token=${token}`,
        headers: { "content-type": "multipart/form-data; boundary=b" },
        body,
      });
    expect(await parts("--b\r\nnot a form")).toMatchObject({ status: 400 });
    expect(await optedOut()).toEqual([]);
    const part = 'Content-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click';
    expect(await parts(`--b\r\n${part}\r\n--b--\r\n`)).toMatchObject({ body: { state: "opted_out" } });
  });

  it("needs a token of ours", async () => {
    const token = await tokenFor(guest);
    const other = await tokenFor(email);
    for (const forged of [
      "",
      "a".repeat(96),
      token.slice(0, 64),
      token.slice(0, -1),
      `${token}0`,
      token.toUpperCase(),
      token.slice(0, 64) + other.slice(64),
    ]) {
      expect(await press(`?token=${forged}`), forged).toMatchObject({ status: 404 });
      expect(await onPage(forged, false), forged).toBe("unknown");
    }
    expect(await press("")).toMatchObject({ status: 404 });
    expect(await world.call("unsubscribe", { body: { token: 1 } })).toMatchObject({ status: 400 });
    expect(await optedOut()).toEqual([]);
  });
});
