// The documents of an order, as PDF viewers and code readers see them, and who receives them.
import { randomUUID } from "node:crypto";
import type { FunctionErrorBody } from "contract/errors";
import { festivalOf } from "contract/festival/facts";
import type { SectionOf } from "contract/festival/sections";
import type { ProductKind } from "contract/shop/kinds";
import { isForEvent, verifyTicketToken } from "contract/tickets/ticket-token";
import PDFDocument from "pdfkit";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { readPaper } from "../../../../shop/testing/paper.ts";
import { cartOf, type CatalogItem } from "../../../../shop/testing/cart.ts";
import { pay, place } from "../../../../shop/testing/carts.ts";
import { openShop } from "../../../../shop/testing/open-shop.ts";
import { print, type PrintJob } from "../../../functions/_shared/documents/print.ts";

const { world, shop } = await openShop();
const [admin, finance, stranger] = await Promise.all([world.newUser(), world.newUser(), world.newUser()]);
await world.sql(
  "insert into public.user_roles (user_id, role) values ($1, 'admin'), ($2, 'finance')",
  admin,
  finance,
);
beforeEach(() => world.sql("delete from public.rate_limits"));

async function bought(names: readonly string[], ...lines: readonly (readonly [CatalogItem, number])[]) {
  const user = await world.newUser();
  const cart = cartOf(...lines);
  const attendees = cart.attendees.map((attendee, index) => ({
    ...attendee,
    name: names[index] ?? attendee.name,
  }));
  const placed = await place(world, user, { ...cart, attendees });
  await pay(world, placed);
  await world.call("process-payment", { as: user, body: { paymentIntentId: placed.paymentIntentId } });
  return { user, ...placed };
}

async function ticketsFor(names: readonly string[]): Promise<PrintJob> {
  const [facts] = await world.sql<{ content: SectionOf<"facts"> }>(
    "select content from public.festival_sections where id = 'facts'",
  );
  const [kind] = await world.sql<ProductKind>("select * from public.product_kinds where kind = 'ticket'");
  const pass = { kind: kind!, name: "General Admission", description: "", isVip: false };
  return {
    document: "tickets",
    festival: festivalOf(facts!.content),
    included: [],
    orderId: randomUUID(),
    passes: names.map((holder, index) => ({
      ...pass,
      id: randomUUID(),
      holder,
      token: "code",
      number: index + 1,
    })),
    total: names.length,
    siteUrl: "http://shop.test",
    at: new Date(),
  };
}

const ask = (as: string | undefined, body: object) =>
  world.respond("order-documents", { ...(as !== undefined && { as }), body });
const paperOf = async (answer: Response) => {
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/pdf"]);
  return readPaper(new Uint8Array(await answer.arrayBuffer()));
};
const refused = async (answer: Response) => [
  answer.status,
  ((await answer.json()) as FunctionErrorBody).error.code,
];

describe("the tickets of an order", () => {
  it("come one to a page, with a genuine code each, and state what they are", async () => {
    const { user, orderId } = await bought(
      ["Ada Lovelace", "Grace"],
      [shop.general, 1],
      [shop.vip, 1],
      [shop.preferred, 1],
    );
    const answer = await ask(user, { orderId, document: "tickets" });
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("content-disposition")).toBe(
      `attachment; filename="tickets-${orderId.slice(0, 8)}.pdf"`,
    );
    const pages = await paperOf(answer);
    const rows = await world.sql<{ id: string }>(
      `select t.id from public.tickets t join public.order_items i on i.id = t.order_item_id where t.order_id = $1 order by i.position`,
      orderId,
    );
    expect(pages).toHaveLength(4);
    const claims = await Promise.all(
      pages.map(({ codes }) => verifyTicketToken(codes[0] ?? "", world.publicKey)),
    );
    expect(claims.slice(0, 2).map((claim) => claim?.ticketId)).toEqual(rows.map(({ id }) => id));
    expect(await Promise.all(claims.map((claim) => isForEvent(claim!, "hcf-2025")))).not.toContain(false);
    const [first, second, third, fourth] = pages.map(({ text }) => text.replace(/\s+/g, " "));
    for (const words of [
      "GENERAL ADMISSION",
      "Ada Lovelace",
      "June 27, 2025",
      "11:00 AM to 10:00 PM",
      orderId.slice(0, 8),
      "500 Buffalo Bend, Houston, TX 77002",
      "every stage",
      "1 of 4",
    ])
      expect(first).toContain(words);
    expect(second).toContain("VIP TICKET");
    expect([third, fourth].sort()).toEqual(
      [expect.stringContaining("GENERAL PARKING"), expect.stringContaining("PREFERRED PARKING")].sort(),
    );
    expect(third).toContain("Admits one vehicle, one time.");
  });

  it("use typefaces whose names their licenses allow to use", async () => {
    const { user, orderId } = await bought(["Ada Lovelace", "李伟"], [shop.general, 2]);
    const answer = await ask(user, { orderId, document: "tickets" });
    const file = Buffer.from(await answer.arrayBuffer()).toString("latin1");
    const faces = new Set(Array.from(file.matchAll(/\/FontName \/[A-Z]+\+([\w-]+)/g), ([, face]) => face));
    expect([...faces].sort()).toEqual([
      "BigShouldersThin-Regular",
      "FestivalSans-Bold",
      "FestivalSans-Regular",
      "NotoSansSC-Bold",
    ]);
  });

  it("print names as they were typed: scripts that no typeface has become Latin letters, and emoji are dropped", async () => {
    const names = [
      ["Nguyễn Thị Ánh Tuyết", "Nguyễn Thị Ánh Tuyết", false],
      ["Κωνσταντίνος Ђорђевић Łukasz", "Κωνσταντίνος Ђорђевић Łukasz", false],
      ["Ṣadé Ọlátúnjí Adébáyọ̀", "Ṣadé Ọlátúnjí Adébáy", false],
      ["王小明 (Wang Xiaoming)", "王小明 (Wang Xiaoming)", false],
      ["田中 さくら", "田中 さくら", false],
      ["髙橋 﨑子 𠮷田", "高橋 崎子 吉田", false],
      ["ﾀﾅｶ ﾊﾟﾃｨ", "タナカ パティ", false],
      ["㐂一", "喜一", false],
      ["田中 さくら𪚥", "田中 さくら", true],
      ["محمد بن علي", "محمد", false],
      ["דוד לוי", "דוד לוי", false],
      ["김민수 🎉", "김민수", false],
      ["สมชาย ใจดี", "สมชาย", false],
      // As drawn: a PDF has vowels where they stand, and what screen readers get apart.
      ["ਗੁਰਪ੍ਰੀਤ ਸਿੰਘ", "ਗੁਰਪ੍ਰੀਤ", false],
      ["శ్రీనివాస్", "నివాస్", false],
      ["Ali محمد", "Ali mhmd", true],
      ["🎉👩‍👩‍👧🇺🇸", "Name as entered in the order", false],
      ["W".repeat(200), "WWWWWWWW", false],
      ["evil \ufdfd", "evil", true],
    ] as const;
    const { user, orderId } = await bought(
      names.map(([name]) => name),
      [shop.general, names.length],
    );
    const pages = await paperOf(await ask(user, { orderId, document: "tickets" }));
    expect(pages.map(({ codes }) => codes.length)).toEqual(names.map(() => 1));
    for (const [index, [, shown, isRespelled]] of names.entries()) {
      const text = pages[index]!.text.replace(/\s+/g, " ").normalize("NFC");
      expect(text).toContain(shown);
      expect(text.includes("Written here in Latin letters"), shown).toBe(isRespelled);
    }
  });

  it("cut a name that is too long for its box, and shape little of it more than once", async () => {
    const rare = Array.from({ length: 200 }, (_, n) => String.fromCodePoint(0xac01 + n * 7)).join("");
    const names = [rare, "Ada", `Zo${"\u0489".repeat(198)}`, "W".repeat(200)];
    const measured = vi.spyOn(PDFDocument.prototype as PDFKit.PDFDocument, "widthOfString");
    const pages = await readPaper(await print(await ticketsFor(names)));
    const shaped = new Set(measured.mock.calls.map(([words]) => words));
    measured.mockRestore();
    const [first, second, , last] = pages.map(({ text }) => text.replace(/\s+/g, ""));
    expect(first).toMatch(/GagGalGalh\w+…/);
    expect(second).toContain("Ada");
    expect(last).toMatch(/W{20,}…/);
    const long = [...shaped].filter(({ length }) => length > 100);
    expect(long.length).toBeLessThan(10 * names.length);
  });

  it("are drawn in another thread, so that no other request waits for them", async () => {
    const { user, orderId } = await bought([], [shop.general, 1]);
    const drawnHere = vi.spyOn(PDFDocument.prototype as PDFKit.PDFDocument, "addPage");
    const pages = await paperOf(await ask(user, { orderId, document: "tickets" }));
    await paperOf(await ask(user, { orderId, document: "receipt" }));
    expect(pages).toHaveLength(1);
    expect(drawnHere).not.toHaveBeenCalled();
    drawnHere.mockRestore();
  });

  it("omit what was refunded, and what another person holds", async () => {
    const { user, orderId } = await bought(["Ada", "Grace", "Mary"], [shop.general, 3]);
    const rows = await world.sql<{ id: string }>(
      "select id from public.tickets where order_id = $1 order by position",
      orderId,
    );
    await world.sql("update public.tickets set voided_at = now() where id = $1", rows[0]!.id);
    await world.sql("update public.tickets set user_id = $2 where id = $1", rows[1]!.id, stranger);
    const own = await paperOf(await ask(user, { orderId, document: "tickets" }));
    expect(own.map(({ text }) => /Ada|Grace|Mary/.exec(text)?.[0])).toEqual(["Mary"]);
    const theirs = await paperOf(await ask(stranger, { orderId, document: "tickets" }));
    expect(theirs.map(({ text }) => /Ada|Grace|Mary/.exec(text)?.[0])).toEqual(["Grace"]);
    expect(await refused(await ask(stranger, { orderId, document: "receipt" }))).toEqual([
      404,
      "order_not_found",
    ]);
    expect(await paperOf(await ask(admin, { orderId, document: "tickets" }))).toHaveLength(2);
  });
});

describe("access", () => {
  it("is for the holder or an administrator; finance gets the receipt, which has no code", async () => {
    const { user, orderId } = await bought(["Ada"], [shop.general, 1]);
    const tickets = (as?: string) => ask(as, { orderId, document: "tickets" });
    const receipt = (as?: string) => ask(as, { orderId, document: "receipt" });
    expect(await refused(await tickets())).toEqual([401, "unauthorized"]);
    expect(await refused(await receipt())).toEqual([401, "unauthorized"]);
    expect(await refused(await tickets(stranger))).toEqual([404, "ticket_not_found"]);
    expect(await refused(await receipt(stranger))).toEqual([404, "order_not_found"]);
    expect(await refused(await tickets(finance))).toEqual([404, "ticket_not_found"]);
    for (const who of [user, admin, finance]) {
      const [page] = await paperOf(await receipt(who));
      expect(page!.codes).toEqual([]);
    }
    expect(await paperOf(await tickets(admin))).toHaveLength(1);
  });

  it("is limited to ten a minute", async () => {
    const { user, orderId } = await bought([], [shop.general, 1]);
    for (let n = 0; n < 10; n++) await ask(user, { orderId, document: "tickets", part: 2 });
    expect(await refused(await ask(user, { orderId, document: "receipt" }))).toEqual([429, "rate_limited"]);
  });

  it("needs an order and a part of it", async () => {
    const { user, orderId } = await bought([], [shop.general, 1]);
    for (const body of [
      {},
      { orderId: "1", document: "tickets" },
      { orderId, document: "all" },
      { orderId, document: "tickets", part: 0 },
    ])
      expect(await refused(await ask(user, body))).toEqual([400, "invalid_request"]);
    expect(await refused(await ask(user, { orderId, document: "tickets", part: 2 }))).toEqual([
      404,
      "ticket_not_found",
    ]);
  });
});

describe("a receipt", () => {
  it("states what was bought, paid and refunded, and from whom", async () => {
    const { user, orderId, paymentIntentId } = await bought([], [shop.general, 2], [shop.parking, 1]);
    const [ticket] = await world.sql<{ id: string }>(
      "select id from public.tickets where order_id = $1 order by position",
      orderId,
    );
    await world.db.database.transaction(
      { claims: { role: "authenticated", sub: admin }, headers: {} },
      (tx) => tx.query("select public.refund_order($1, $2)", [orderId, [ticket!.id]]),
    );
    const read = async () =>
      (await paperOf(await ask(user, { orderId, document: "receipt" })))[0]!.text.replace(/\s+/g, " ");
    expect(await read()).toContain("on its way -$45.00");
    await world.call("drain-outbox", { as: "service" });
    const text = await read();
    for (const words of [
      "RECEIPT",
      orderId.slice(0, 8),
      "Bun B. Buyer",
      "buyer@people.test",
      "Bayou City Social",
      "2 × General Admission, $45.00 each $90.00",
      "1 × General Parking $25.00",
      "Total $115.00",
      `payment …${paymentIntentId.slice(-6)} $115.00`,
      "returned -$45.00",
      "Paid after refunds $70.00",
    ])
      expect(text).toContain(words);
  });

  it("exists once there was a payment", async () => {
    const user = await world.newUser();
    const { orderId } = await place(world, user, cartOf([shop.general, 1]));
    expect(await refused(await ask(user, { orderId, document: "receipt" }))).toEqual([
      409,
      "payment_not_completed",
    ]);
    expect(await refused(await ask(user, { orderId, document: "tickets" }))).toEqual([
      404,
      "ticket_not_found",
    ]);
  });
});

describe("mailing an order again", () => {
  it("reaches the buyer and the attendees, three times an hour", async () => {
    const { user, orderId } = await bought([], [shop.general, 2]);
    await world.call("drain-outbox", { as: "service" });
    world.mails.length = 0;
    const again = (sub: string) =>
      world.db.database.transaction({ claims: { role: "authenticated", sub }, headers: {} }, (tx) =>
        tx.query("select public.mail_order_again($1)", [orderId]),
      );
    await again(user);
    await world.call("drain-outbox", { as: "service" });
    expect(world.mails.map(({ to }) => to).sort()).toEqual(["buyer@people.test", "guest2@people.test"]);
    expect(world.mails.find(({ to }) => to === "buyer@people.test")!.text).toContain(
      `/order-confirmation?orderId=${orderId}`,
    );
    await expect(again(stranger)).rejects.toMatchObject({ code: "PT404" });
    await again(user);
    await again(user);
    await expect(again(user)).rejects.toMatchObject({ code: "PT429" });
  });
});
