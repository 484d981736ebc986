import { verifyTicketToken } from "contract/tickets/ticket-token";
import { describe, expect, it, vi } from "vitest";
import { cartOf } from "../../../../shop/testing/cart.ts";
import { pay, place } from "../../../../shop/testing/carts.ts";
import { openShop } from "../../../../shop/testing/open-shop.ts";
import { codesIn } from "../../../../shop/testing/paper.ts";

const { world, shop } = await openShop();

const paidOrder = async () => {
  const user = await world.newUser();
  const placed = await place(world, user, cartOf([shop.general, 1]));
  return { user, placed, intent: await pay(world, placed) };
};

describe("generate-qr-code", () => {
  const ticketOf = async (orderId: string) => {
    const [ticket] = await world.sql("select * from public.tickets where order_id = $1", orderId);
    return ticket!;
  };

  it("ends with one signed code, however many requests come at once", async () => {
    const { user, placed } = await paidOrder();
    await world.call("process-payment", { as: user, body: { paymentIntentId: placed.paymentIntentId } });
    const { id: ticketId } = await ticketOf(placed.orderId);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => world.call("generate-qr-code", { as: user, body: { ticketId } })),
    );
    const [url, ...others] = new Set(answers.map(({ body }) => body.qrCodeUrl));
    expect(others).toEqual([]);
    expect(answers.every(({ body }) => body.success === true)).toBe(true);
    expect(url).toMatch(new RegExp(`/functions/v1/qr-picture\\?code=${ticketId}&key=[0-9a-f]{32}$`));
    const ticket = await ticketOf(placed.orderId);
    expect(ticket.qr_code_url).toBe(url);
    expect(await verifyTicketToken(ticket.qr_code_data, world.publicKey)).toMatchObject({
      ticketId,
      typeMark: shop.general.id.slice(-8),
      issueNumber: 1,
    });
  });

  it("opens its picture only by the URL in its row", async () => {
    const { user, placed } = await paidOrder();
    await world.call("process-payment", { as: user, body: { paymentIntentId: placed.paymentIntentId } });
    const { id: ticketId } = await ticketOf(placed.orderId);
    const { body } = await world.call("generate-qr-code", { as: user, body: { ticketId } });
    const url: string = body.qrCodeUrl;
    const answer = await world.fetchQrPicture(url);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/png"]);
    expect(answer.headers.get("cache-control")).toMatch(/^private,/);
    const { qr_code_data } = await ticketOf(placed.orderId);
    expect(await codesIn(new Uint8Array(await answer.arrayBuffer()))).toEqual([qr_code_data]);
    for (const other of [
      url.replace(ticketId, crypto.randomUUID()),
      url.replace(ticketId, "1"),
      url.replace(/key=.+/, "key="),
      url.replace(/&key=.+/, ""),
      url.slice(0, -1),
      `${url}0`,
    ]) {
      expect((await world.fetchQrPicture(other)).status, other).toBe(404);
    }
    // A row whose URL has no key, or is none, opens nothing.
    for (const stored of ["https://shop.test/storage/v1/object/public/qr-codes/a.png", "a.png"]) {
      await world.sql("update public.entry_codes set qr_code_url = $1 where id = $2", stored, ticketId);
      expect((await world.fetchQrPicture(url.replace(/key=.+/, "key="))).status, stored).toBe(404);
    }
  });

  it("renews the URL of a picture that no longer opens", async () => {
    const { user, placed } = await paidOrder();
    await world.call("process-payment", { as: user, body: { paymentIntentId: placed.paymentIntentId } });
    const { id: ticketId } = await ticketOf(placed.orderId);
    const renew = async () => {
      const { body } = await world.call("generate-qr-code", { as: user, body: { ticketId, renew: true } });
      expect((await world.fetchQrPicture(body.qrCodeUrl)).status).toBe(200);
      expect((await ticketOf(placed.orderId)).qr_code_url).toBe(body.qrCodeUrl);
    };
    await world.call("generate-qr-code", { as: user, body: { ticketId } });
    const { qr_code_data } = await ticketOf(placed.orderId);
    // As after the site has moved.
    await world.sql(
      "update public.tickets set qr_code_url = 'https://old.test/qr-picture' where id = $1",
      ticketId,
    );
    await renew();
    expect(await ticketOf(placed.orderId)).toMatchObject({ qr_code_data, issue_number: 1 });
  });

  describe("a URL that is being renewed", () => {
    /** Renewals of a dead URL, held up before they write the new one, until `meanwhile` has run. */
    const renewals = async (count: number, meanwhile = "") => {
      const { user, placed } = await paidOrder();
      await world.call("process-payment", { as: user, body: { paymentIntentId: placed.paymentIntentId } });
      const { id: ticketId } = await ticketOf(placed.orderId);
      const { body } = await world.call("generate-qr-code", { as: user, body: { ticketId } });
      await world.sql("update public.tickets set qr_code_url = qr_code_url || 'x' where id = $1", ticketId);
      const waiting = () =>
        world.sql(
          `select from pg_stat_activity
            where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`,
        );
      const sent = await world.db.database.asService("renewals meet at a ticket").transaction(async (tx) => {
        await tx.query("select from public.tickets where id = $1 for update", [ticketId]);
        const calls = Array.from({ length: count }, () =>
          world.call("generate-qr-code", { as: user, body: { ticketId, renew: true } }),
        );
        await expect.poll(waiting).toHaveLength(count);
        if (meanwhile) await tx.query(`update public.tickets set ${meanwhile} where id = $1`, [ticketId]);
        return calls;
      });
      return {
        answers: await Promise.all(sent),
        first: body.qrCodeUrl,
        ticket: await ticketOf(placed.orderId),
      };
    };

    it("by two devices at once opens on both", async () => {
      const { answers, ticket } = await renewals(2);
      const answer = { status: 200, body: { success: true, qrCodeUrl: ticket.qr_code_url } };
      expect(answers).toEqual([answer, answer]);
      expect((await world.fetchQrPicture(ticket.qr_code_url)).status).toBe(200);
    });

    it("opens nothing when its code is reissued meanwhile", async () => {
      const reissue = "issue_number = 2, qr_code_data = null, qr_code_url = null";
      const [info, error] = [vi.spyOn(world.log, "info"), vi.spyOn(world.log, "error")];
      const { answers, first, ticket } = await renewals(1, reissue);
      expect(info.mock.calls.map(([, message]) => message)).toContain("QR code not generated");
      expect(error, "an alarm is for what is broken").not.toHaveBeenCalled();
      vi.restoreAllMocks();
      expect(answers).toMatchObject([{ body: { success: false } }]);
      expect((await world.fetchQrPicture(first)).status).toBe(404);
      expect(ticket).toMatchObject({ issue_number: 2, qr_code_data: null, qr_code_url: null });
    });
  });

  it("asks to try again when its code is reissued while a document is made, without an alarm", async () => {
    const { user, placed } = await paidOrder();
    await world.call("process-payment", { as: user, body: { paymentIntentId: placed.paymentIntentId } });
    const { id } = await ticketOf(placed.orderId);
    await world.sql("update public.tickets set qr_code_url = null, qr_code_data = null where id = $1", id);
    const error = vi.spyOn(world.log, "error");
    const sent = await world.db.database.asService("a reissue meets a document").transaction(async (tx) => {
      await tx.query("select from public.tickets where id = $1 for update", [id]);
      const call = world.call("order-documents", {
        as: user,
        body: { orderId: placed.orderId, document: "tickets" },
      });
      await expect
        .poll(() =>
          world.sql(
            `select from pg_stat_activity
              where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`,
          ),
        )
        .toHaveLength(1);
      await tx.query("update public.tickets set issue_number = 2 where id = $1", [id]);
      return [call];
    });
    expect(await sent[0]).toMatchObject({ status: 409, body: { error: { code: "concurrent_request" } } });
    expect(error).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });

  it("renews the URL of a parking permit's picture too", async () => {
    const user = await world.newUser();
    const placed = await place(world, user, cartOf([shop.general, 1], [shop.parking, 1]));
    await pay(world, placed);
    await world.call("process-payment", { as: user, body: { paymentIntentId: placed.paymentIntentId } });
    const permit = async () =>
      (
        await world.sql(
          "select * from public.entry_codes where kind = 'parking' and order_id = $1",
          placed.orderId,
        )
      )[0]!;
    const { id: ticketId } = await permit();
    await world.call("generate-qr-code", { as: user, body: { ticketId } });
    const { qr_code_data, qr_code_url: old } = await permit();
    const { body } = await world.call("generate-qr-code", { as: user, body: { ticketId, renew: true } });
    expect((await world.fetchQrPicture(old)).status).toBe(404);
    expect((await world.fetchQrPicture(body.qrCodeUrl)).status).toBe(200);
    expect(await permit()).toMatchObject({ qr_code_data, qr_code_url: body.qrCodeUrl, issue_number: 1 });
  });

  it("gives the same answer for an unknown ticket and somebody else's", async () => {
    const { user, placed } = await paidOrder();
    await world.call("process-payment", { as: user, body: { paymentIntentId: placed.paymentIntentId } });
    const { id: foreign } = await ticketOf(placed.orderId);
    const stranger = await world.newUser();
    for (const ticketId of [foreign, crypto.randomUUID()]) {
      const answer = await world.call("generate-qr-code", { as: stranger, body: { ticketId } });
      expect(answer).toMatchObject({ status: 404, body: { error: { code: "ticket_not_found" } } });
    }
    expect(await world.call("generate-qr-code", { body: { ticketId: foreign } })).toMatchObject({
      status: 401,
    });
    expect((await ticketOf(placed.orderId)).qr_code_url).toBeNull();
  });

  it("returns the specified error when the code cannot be written, and works the next time", async () => {
    const { user, placed } = await paidOrder();
    await world.call("process-payment", { as: user, body: { paymentIntentId: placed.paymentIntentId } });
    const { id: ticketId } = await ticketOf(placed.orderId);
    await world.sql(
      "alter table public.entry_codes add constraint no_codes check (qr_code_data is null) not valid",
    );
    const failed = await world.call("generate-qr-code", { as: user, body: { ticketId } });
    await world.sql("alter table public.entry_codes drop constraint no_codes");
    expect(failed).toEqual({ status: 200, body: { success: false, error: "Failed to generate QR code" } });
    expect(await world.call("generate-qr-code", { as: user, body: { ticketId } })).toMatchObject({
      body: { success: true },
    });
  });
});
