import { describe, expect, it } from "vitest";
import {
  allowanceWords,
  forBuyer,
  isChoosable,
  outdated,
  parseAllowance,
  parseSale,
  shopOffer,
  stockOffer,
  sectionsOf,
  type Product,
  type ShopSale,
} from "./model.ts";

const ticketType = { id: "g", name: "General Admission", price: 45, current_inventory: 3 } as Product;

it("offers each kind in its turn, and parking only beside the general pass", () => {
  const product = (id: string, kind: string, position: number, is_general = false) =>
    ({ id, kind, is_general, product_kinds: { kind, position } }) as Product;
  const pitch = product("pitch", "camping", 3);
  const preferred = product("preferred", "parking", 2);
  const general = product("general", "parking", 2, true);
  const ticket = product("ticket", "ticket", 1);
  const shown = (...products: Product[]) =>
    sectionsOf({ products }).map(({ kind, products: own }) => [kind.kind, ...own.map(({ id }) => id)]);
  expect(shown(pitch, preferred, general, ticket)).toEqual([
    ["ticket", "ticket"],
    ["parking", "preferred", "general"],
    ["camping", "pitch"],
  ]);
  expect(shown(pitch, preferred, ticket)).toEqual([
    ["ticket", "ticket"],
    ["camping", "pitch"],
  ]);
});

describe("an offer", () => {
  const now = Date.parse("2025-06-01T12:00:00Z");
  const before = "2025-06-01T11:00:00Z";
  const after = "2025-06-01T13:00:00Z";
  const always = { on_sale: true, sale_opens_at: null, sale_closes_at: null };
  const shop: ShopSale = {
    ...always,
    now,
    festival_status: "planned",
    vip_includes_parking: true,
    vip_parking_left: 5,
    fee: null,
  };
  const row = { ...ticketType, ...always, is_vip: false };

  it.each([
    [{}, {}, { kind: "open", until: null }],
    [{ sale_opens_at: before, sale_closes_at: after }, {}, { kind: "open", until: after }],
    [{ on_sale: false }, {}, { kind: "paused" }],
    [{ sale_opens_at: after }, {}, { kind: "upcoming", from: after }],
    [{ sale_closes_at: before }, {}, { kind: "ended" }],
    [{ current_inventory: 0, on_sale: false }, { on_sale: false }, { kind: "sold-out" }],
    [{}, { on_sale: false }, { kind: "paused" }],
    [{ on_sale: false }, { sale_opens_at: after }, { kind: "upcoming" }],
    [{}, { sale_closes_at: before }, { kind: "ended" }],
  ] as const)("of %j in a shop with %j is %j", (own, shops, offer) => {
    expect(stockOffer({ ...row, ...own }, { ...shop, ...shops })).toEqual(offer);
  });

  it("of a place of VIP stands, since its parking is held with it", () => {
    const vip = { ...row, id: "v", is_vip: true, current_inventory: 0, waiting: 2 } as Product;
    const place = { ticket_type_id: "v", state: "offered", offered: 1 };
    const offer = (...places: (typeof place)[]) => {
      const { products, sale } = forBuyer(
        { products: [vip], sale: { ...shop, vip_parking_left: 0 } },
        places,
      );
      return stockOffer(products[0]!, sale).kind;
    };
    expect([offer(place), offer()]).toEqual(["open", "sold-out"]);
    expect(offer({ ...place, state: "waiting" })).toBe("sold-out");
  });

  it("of VIP ends while there is no parking for it, and no other offer does", () => {
    const vip = { ...row, is_vip: true };
    expect(stockOffer(vip, { ...shop, vip_parking_left: 0 })).toEqual({ kind: "no-parking" });
    expect(stockOffer({ ...vip, current_inventory: 0 }, { ...shop, vip_parking_left: 0 })).toEqual({
      kind: "sold-out",
    });
    expect(stockOffer(row, { ...shop, vip_parking_left: 0 }).kind).toBe("open");
    expect(stockOffer(vip, { ...shop, vip_parking_left: null }).kind).toBe("open");
  });

  it("of the shop is open even while a single type is not", () => {
    expect(shopOffer(shop)).toEqual({ kind: "open", until: null });
    expect(shopOffer({ ...shop, sale_opens_at: after })).toEqual({ kind: "upcoming", from: after });
  });

  it("is read with the server's clock, and a malformed response is an error", () => {
    expect(parseSale({ ...shop, now: "2025-06-01T12:00:00+00:00" })).toEqual(shop);
    const answer = { ...shop, now: "2025-06-01T12:00:00+00:00" };
    const odd = {
      now: "soon",
      on_sale: 1,
      vip_includes_parking: null,
      sale_opens_at: 7,
      vip_parking_left: "5",
    };
    for (const [field, value] of Object.entries(odd)) {
      expect(() => parseSale({ ...answer, [field]: value }), field).toThrow("not the state of the sale");
    }
    for (const other of [null, undefined, 7, [], {}])
      expect(() => parseSale(other)).toThrow("not the state of the sale");
  });
});

describe("a ticket allowance", () => {
  const allowance = { max_tickets: 20, bought: 15, held: 0, remaining: 5 };

  it("is returned as it is, and a malformed response is an error", () => {
    expect(parseAllowance(allowance)).toEqual(allowance);
    for (const odd of [
      null,
      undefined,
      {},
      [],
      { ...allowance, bought: "15" },
      { ...allowance, remaining: 0.5 },
    ])
      expect(() => parseAllowance(odd)).toThrow("not a ticket allowance");
  });

  it("is described in words", () => {
    expect(allowanceWords(allowance)).toBe(
      "The limit is 20 tickets per buyer. You already have 15, so you can buy 5 more.",
    );
    expect(allowanceWords({ ...allowance, bought: 0, remaining: 20 })).toBe(
      "The limit is 20 tickets per buyer.",
    );
    expect(allowanceWords({ ...allowance, bought: 20, remaining: 0 })).toBe(
      "The limit is 20 tickets per buyer. You already have 20.",
    );
  });
});

it("ignores negative quantities, fractions, and more than the stock", () => {
  expect([-1, 0, 1.5, 3, 4, Number.NaN].map((quantity) => isChoosable(quantity, 3))).toEqual([
    false,
    true,
    false,
    true,
    false,
    false,
  ]);
});

it("finds the cart's items whose price or name has changed, and ignores unknown ones", () => {
  const items = [
    { id: "g", name: "General Admission", price: 40, quantity: 2, itemData: {} },
    { id: "gone", name: "Early Bird", price: 30, quantity: 1, itemData: {} },
  ];
  expect(outdated(items, { products: [ticketType] })).toEqual([
    { id: "g", name: "General Admission", price: 45, quantity: 2, itemData: ticketType },
  ]);
});

it("finds an item outdated only in a catalog that is not older than its record", () => {
  const inCart = (itemData: unknown) => [
    { id: "g", name: "General Admission", price: 50, quantity: 1, itemData },
  ];
  const catalog = { products: [{ ...ticketType, version: 2 }] };
  expect(outdated(inCart({ version: 3 }), catalog)).toEqual([]);
  for (const older of [{ version: 1 }, { version: 2 }, {}, null])
    expect(outdated(inCart(older), catalog)).toHaveLength(1);
});
