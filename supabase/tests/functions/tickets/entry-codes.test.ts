import { verifyTicketToken } from "contract/tickets/ticket-token";
import { decodeJwt } from "jose";
import { describe, expect, it, vi } from "vitest";
import { cartOf } from "../../../../shop/testing/cart.ts";
import { pay, place } from "../../../../shop/testing/carts.ts";
import { openShop } from "../../../../shop/testing/open-shop.ts";

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

  it("ends with one signed code and one stored picture, however many requests come at once", async () => {
    const { user, placed } = await paidOrder();
    await world.call("process-payment", { as: user, body: { paymentIntentId: placed.paymentIntentId } });
    const { id: ticketId } = await ticketOf(placed.orderId);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => world.call("generate-qr-code", { as: user, body: { ticketId } })),
    );
    const [url, ...others] = new Set(answers.map(({ body }) => body.qrCodeUrl));
    expect(others).toEqual([]);
    expect(answers.every(({ body }) => body.success === true)).toBe(true);
    expect(url).toMatch(
      new RegExp(`/storage/v1/object/sign/ticket-qr-codes/${ticketId}/[0-9a-f]{32}\\.png\\?token=`),
    );

    const picture = new Uint8Array(await (await world.fetchStored(url)).arrayBuffer());
    expect(Array.from(picture.subarray(1, 4), (byte) => String.fromCharCode(byte)).join("")).toBe("PNG");
    const ticket = await ticketOf(placed.orderId);
    expect(ticket.qr_code_url).toBe(url);
    expect(await verifyTicketToken(ticket.qr_code_data, world.publicKey)).toMatchObject({
      ticketId,
      ticketTypeId: shop.general.id,
      issueNumber: 1,
    });
    expect(
      await world.sql("select id from storage.objects where name like $1", `${ticketId}/%`),
    ).toHaveLength(1);
  });

  it("opens its picture only by the signed URL, until long after the festival", async () => {
    const { user, placed } = await paidOrder();
    await world.call("process-payment", { as: user, body: { paymentIntentId: placed.paymentIntentId } });
    const { id: ticketId } = await ticketOf(placed.orderId);
    const { body } = await world.call("generate-qr-code", { as: user, body: { ticketId } });
    const url = new URL(body.qrCodeUrl);
    const statusOf = async (address: string) => (await world.fetchStored(address)).status;
    expect(await statusOf(url.href)).toBe(200);
    const place = url.pathname.slice(url.pathname.indexOf("/ticket-qr-codes/"));
    for (const door of [
      "object",
      "object/public",
      "object/authenticated",
      "object/sign",
      "render/image/public",
    ]) {
      expect(await statusOf(`${url.origin}/storage/v1/${door}${place}`), door).toBe(400);
    }
    expect(await statusOf(url.href.replace(ticketId, crypto.randomUUID()))).toBe(400);

    const { exp } = decodeJwt(url.searchParams.get("token")!);
    const [festival] = await world.sql("select ends_at from public.festival");
    const last = Math.max(Date.parse(festival!.ends_at), Date.now()) / 1000;
    expect(exp! - last).toBeGreaterThan(89 * 86_400);
    expect(exp! - last).toBeLessThan(91 * 86_400);
  });

  it("renews the URL of a picture that no longer opens, also if the picture is lost", async () => {
    const { user, placed } = await paidOrder();
    await world.call("process-payment", { as: user, body: { paymentIntentId: placed.paymentIntentId } });
    const { id: ticketId } = await ticketOf(placed.orderId);
    const renew = async () => {
      const { body } = await world.call("generate-qr-code", { as: user, body: { ticketId, renew: true } });
      expect((await world.fetchStored(body.qrCodeUrl)).status).toBe(200);
      expect((await ticketOf(placed.orderId)).qr_code_url).toBe(body.qrCodeUrl);
    };
    await world.call("generate-qr-code", { as: user, body: { ticketId } });
    const { qr_code_data } = await ticketOf(placed.orderId);
    // As after the secret was replaced.
    await world.sql(
      "update public.tickets set qr_code_url = replace(qr_code_url, 'token=', 'token=x') where id = $1",
      ticketId,
    );
    await renew();
    const [picture] = await world.sql("select name from storage.objects where name like $1", `${ticketId}/%`);
    expect((await world.storage.from("ticket-qr-codes").remove([picture!.name])).error).toBeNull();
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
      expect((await world.fetchStored(ticket.qr_code_url)).status).toBe(200);
    });

    it("leaves no picture when its code is reissued meanwhile", async () => {
      const reissue = "issue_number = 2, qr_code_data = null, qr_code_url = null";
      const [info, error] = [vi.spyOn(world.log, "info"), vi.spyOn(world.log, "error")];
      const { answers, first, ticket } = await renewals(1, reissue);
      expect(info.mock.calls.map(([, message]) => message)).toContain("QR code not generated");
      expect(error, "an alarm is for what is broken").not.toHaveBeenCalled();
      vi.restoreAllMocks();
      expect(answers).toMatchObject([{ body: { success: false } }]);
      expect((await world.fetchStored(first)).status).toBe(400);
      expect(await world.sql("select from storage.objects where name like $1", `${ticket.id}/%`)).toEqual([]);
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
    const { qr_code_data } = await permit();
    await world.sql("update public.entry_codes set qr_code_url = qr_code_url || 'x' where id = $1", ticketId);
    const dead = (await permit()).qr_code_url;
    expect((await world.fetchStored(dead)).status).toBe(400);
    const { body } = await world.call("generate-qr-code", { as: user, body: { ticketId, renew: true } });
    expect((await world.fetchStored(body.qrCodeUrl)).status).toBe(200);
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

  it("returns the specified error when the picture cannot be stored, and works the next time", async () => {
    const { user, placed } = await paidOrder();
    await world.call("process-payment", { as: user, body: { paymentIntentId: placed.paymentIntentId } });
    const { id: ticketId } = await ticketOf(placed.orderId);
    await world.sql("update storage.buckets set file_size_limit = 1 where id = 'ticket-qr-codes'");
    const failed = await world.call("generate-qr-code", { as: user, body: { ticketId } });
    await world.sql("update storage.buckets set file_size_limit = 262144 where id = 'ticket-qr-codes'");
    expect(failed).toEqual({ status: 200, body: { success: false, error: "Failed to generate QR code" } });
    expect(await world.call("generate-qr-code", { as: user, body: { ticketId } })).toMatchObject({
      body: { success: true },
    });
  });
});
