// The answers to a scan online.
import { randomUUID } from "node:crypto";
import { entranceAdmits, gateRefusals } from "contract/gate";
import { beforeEach, describe, expect, it } from "vitest";
import { entrances, minutesAgo, openGate, type Phone } from "./world.ts";

const { gate, phone } = await openGate();

// First: once tickets are sold, the code is fixed.
it("brings a phone what is published with the next page of its list, and goes by the new code", async () => {
  const publish = (facts: Record<string, string>) =>
    gate.sql("update public.festival_sections set content = content || $1 where id = 'facts'", facts);
  const { upto } = await phone.list();
  await publish({ code: "hcf-2026", title: "Bayou Fest" });
  const { settings } = await phone.list(upto);
  expect(settings?.facts).toMatchObject({ code: "hcf-2026", title: "Bayou Fest" });
  const scans = ["hcf-2025", "hcf-2026"].map((event) => ({ code_id: randomUUID(), event }));
  expect((await phone.scan(...scans)).map(({ detail }) => detail)).toEqual([
    "other_festival",
    "not_in_books",
  ]);
  await publish({ code: "hcf-2025" });
});

it("admits a ticket once, then reports where and when that was", async () => {
  const sold = await gate.sell({ vip: 1 }, ["Ana Reyes"]);
  const [first] = await phone.scan({ code_id: sold.tickets[0]! });
  expect(first).toMatchObject({
    result: "admitted",
    person: {
      kind: "ticket",
      name: "Ana Reyes",
      type: "VIP",
      is_vip: true,
      includes_parking: true,
      order: sold.order.slice(0, 8),
      code: sold.tickets[0]!.slice(0, 8),
    },
  });
  expect(
    await gate.sql("select is_offline from public.admissions where code_id = $1", sold.tickets[0]),
  ).toEqual([{ is_offline: false }]);
  const other = await gate.phone("South", entrances.express);
  const [second] = await other.scan({ code_id: sold.tickets[0]! });
  expect(second).toMatchObject({
    result: "already_in",
    first: { entrance: "Main Entrance", device: "North", at: expect.any(Number) },
    person: { name: "Ana Reyes" },
  });
});

it("admits a bought and an included parking permit, and stores the plate", async () => {
  const lot = await gate.phone("Lot", entrances.parking);
  const { permits } = await gate.sell({ vip: 1, preferred: 1 });
  expect(permits).toHaveLength(2);
  const results = await lot.scan({ code_id: permits[0]!, plate: "tx-420 " }, { code_id: permits[1]! });
  expect(results.map(({ result }) => result)).toEqual(["admitted", "admitted"]);
  expect(await gate.sql("select plate from public.entry_codes where id = $1", permits[0])).toEqual([
    { plate: "TX-420" },
  ]);
});

it("refuses refunded, reissued and unknown codes, the wrong entrance, and scans before the doors open", async () => {
  const refunded = await gate.sell({ general: 1 });
  await gate.sql("select public.take_back($1, null, null)", refunded.order);
  const reissued = await gate.sell({ general: 1 });
  await gate.sql("update public.tickets set issue_number = 2 where order_id = $1", reissued.order);
  const plain = await gate.sell({ general: 1 });
  const express = await gate.phone("Express", entrances.express);
  expect(await phone.scan({ code_id: refunded.tickets[0]! })).toMatchObject([{ result: "void" }]);
  expect(await phone.scan({ code_id: reissued.tickets[0]!, issue_number: 1 })).toMatchObject([
    { result: "old_code" },
  ]);
  expect(await phone.scan({ code_id: randomUUID() })).toMatchObject([
    { result: "unknown", detail: "not_in_books" },
  ]);
  expect(await express.scan({ code_id: plain.tickets[0]! })).toMatchObject([
    { result: "wrong_entrance", entrances: ["Main Entrance"] },
  ]);
  await gate.settings("doors_open_at = now() + interval '1 hour'");
  expect(await phone.scan({ code_id: plain.tickets[0]! })).toMatchObject([
    { result: "not_today", opens_at: expect.any(Number) },
  ]);
  await gate.settings("doors_open_at = null");
  expect(await phone.scan({ code_id: plain.tickets[0]! })).toMatchObject([{ result: "admitted" }]);
});

it("admits no ticket to the parking and no vehicle at the door, and only VIP through the express lane", async () => {
  const { tickets, permits } = await gate.sell({ vip: 1, general: 1 });
  const lot = await gate.phone(undefined, entrances.parking);
  const express = await gate.phone(undefined, entrances.express);
  const at = async (on: Phone, code: string) => (await on.scan({ code_id: code }))[0]!;
  const [vip, general] = tickets as [string, string];
  for (const ticket of [vip, general])
    expect(await at(lot, ticket)).toMatchObject({ result: "wrong_entrance" });
  for (const door of [phone, express])
    expect(await at(door, permits[0]!)).toMatchObject({
      result: "wrong_entrance",
      entrances: ["Parking"],
    });
  expect(await at(express, general)).toMatchObject({ result: "wrong_entrance" });
  expect(await at(express, vip)).toMatchObject({ result: "admitted" });
  expect(await at(lot, permits[0]!)).toMatchObject({
    result: "admitted",
    person: { kind: "parking", plate: null },
  });
});

it("refuses a code signed for another festival, and records whom a phone let in with one all the same", async () => {
  const { tickets } = await gate.sell({ general: 2 });
  const [asked, alone] = tickets as [string, string];
  const foreign = { result: "unknown", detail: "other_festival" };
  for (const action of ["in", "out"] as const)
    expect(await phone.scan({ code_id: asked, event: "hcf-2024", action })).toMatchObject([foreign]);
  expect(await gate.standing(asked)).toEqual([]);
  expect(await phone.scan({ code_id: alone, event: "hcf-2024", decided: "admitted" })).toMatchObject([
    { result: "admitted", despite: "old_code" },
  ]);
  expect(await phone.scan({ code_id: asked, event: "hcf-2025" })).toMatchObject([{ result: "admitted" }]);
});

it("refuses once the doors are closed, and records who came in before they opened", async () => {
  const { tickets } = await gate.sell({ general: 2 });
  await gate.settings(
    "doors_open_at = now() - interval '2 hours', doors_close_at = now() - interval '1 hour'",
  );
  expect(await phone.scan({ code_id: tickets[0]! })).toMatchObject([
    { result: "not_today", closes_at: expect.any(Number) },
  ]);
  expect(
    await phone.scan(
      { code_id: tickets[0]!, decided: "admitted", at: minutesAgo(150) },
      { code_id: tickets[1]!, decided: "admitted", at: minutesAgo(90) },
    ),
  ).toMatchObject([{ result: "admitted", despite: "not_today" }, { result: "admitted" }]);
  await gate.settings("doors_open_at = null, doors_close_at = null");
});

it("reports a closed entrance, and admits the types an entrance is for", async () => {
  const { tickets } = await gate.sell({ general: 1 });
  const side =
    "insert into public.gate_entrances (name, admits, ticket_type_ids, is_open) values ($1, 'tickets', $2, $3) returning id";
  const [closed] = await gate.sql(side, "Back Gate", null, true);
  const [vipOnly] = await gate.sql(side, "Balcony", ["0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e1002"], true);
  const back = await gate.phone(undefined, closed!.id);
  const { upto } = await back.list();
  await gate.sql("update public.gate_entrances set is_open = false where id = $1", closed!.id);
  const { entrances: told } = await back.list(upto);
  expect(
    told!.find(({ id }) => id === closed!.id),
    "before its next scan",
  ).toMatchObject({ is_open: false });
  expect(await back.scan({ code_id: tickets[0]! })).toMatchObject([{ result: "closed" }]);
  const balcony = await gate.phone(undefined, vipOnly!.id);
  expect(await balcony.scan({ code_id: tickets[0]! })).toMatchObject([
    { result: "wrong_entrance", entrances: ["Main Entrance"] },
  ]);
  await back.scan({ code_id: tickets[0]!, decided: "admitted" });
  const { despite } = await gate.board();
  expect(despite.find(({ code_id }) => code_id === tickets[0])).toMatchObject({ reason: "closed" });
});

it("stores what a phone refused under the reason that the phone gave", async () => {
  const { tickets } = await gate.sell({ general: 1 });
  const scans = gateRefusals.map((decided) => ({ id: randomUUID(), code_id: tickets[0]!, decided }));
  const answers = await phone.scan(...scans.map((scan) => ({ ...scan, action: "refused" as const })));
  expect(answers.map(({ result }) => result)).toEqual(gateRefusals);
  const ids = scans.map(({ id }) => id);
  const rows = await gate.sql("select id, reason from public.gate_refusals where id = any ($1)", ids);
  const reasons = new Map(rows.map(({ id, reason }) => [id, reason]));
  expect(ids.map((id) => reasons.get(id))).toEqual(gateRefusals);
});

it("limits tickets to the types an entrance names, not parking, by the same rule as phones", async () => {
  const types = {
    general: { id: randomUUID(), kind: "ticket", is_vip: false },
    vip: { id: randomUUID(), kind: "ticket", is_vip: true },
    lot: { id: randomUUID(), kind: "parking", is_vip: false },
  } as const;
  const admitted: string[] = [];
  for (const admits of ["tickets", "parking", "both"] as const)
    for (const named of [null, [], ["general"], ["general", "lot"]] as const)
      for (const is_express of [false, true])
        for (const [name, type] of Object.entries(types)) {
          const ticket_type_ids = named && named.map((one) => types[one].id);
          const [row] = await gate.sql(
            `select public.entrance_admits(jsonb_populate_record(null::public.gate_entrances, $1), $2, $3, $4) as admits`,
            JSON.stringify({ admits, ticket_type_ids, is_express }),
            type.kind === "ticket",
            type.id,
            type.is_vip,
          );
          const where = `${name} at ${admits}, ${named?.join("+") ?? "all"}${is_express ? ", express" : ""}`;
          expect(entranceAdmits({ admits, ticket_type_ids, is_express }, type), where).toBe(row!.admits);
          if (row!.admits) admitted.push(where);
        }
  expect(admitted.filter((where) => where.includes("at both, general"))).toEqual([
    "general at both, general",
    "lot at both, general",
    "general at both, general, express",
    "lot at both, general, express",
    "general at both, general+lot",
    "lot at both, general+lot",
    "general at both, general+lot, express",
    "lot at both, general+lot, express",
  ]);
});

it("admits nobody to a cancelled festival, whatever a phone decided, and lets out people who are in", async () => {
  const { tickets } = await gate.sell({ general: 3 });
  await phone.scan({ code_id: tickets[0]! });
  await gate.sql("update public.festival set status = 'cancelled'");
  const { settings } = await phone.list();
  expect(settings).toMatchObject({ is_cancelled: true });
  expect(await phone.search(tickets[1]!.slice(0, 8))).toMatchObject([{ would: "closed" }]);
  const offline = { code_id: tickets[2]!, decided: "admitted", at: minutesAgo(1) } as const;
  expect(
    await phone.scan({ code_id: tickets[1]! }, offline, { code_id: tickets[0]!, action: "out" }),
  ).toMatchObject([
    { result: "closed", detail: "cancelled", person: {} },
    { result: "admitted", despite: "closed" },
    { result: "let_out" },
  ]);
  await gate.sql("update public.festival set status = 'planned'");
  await gate.sql("update public.shop_settings set on_sale = true");
  expect(await phone.scan({ code_id: tickets[1]! })).toMatchObject([{ result: "admitted" }]);
});

describe("re-entry", () => {
  beforeEach(() => gate.settings("reentry = true"));

  it("readmits a person who went out, and is refused once it is off", async () => {
    const { tickets } = await gate.sell({ general: 1 });
    const scan = async (action: "in" | "out") =>
      (await phone.scan({ code_id: tickets[0]!, action }))[0]!.result;
    expect(await scan("out")).toBe("not_inside");
    expect([
      await scan("in"),
      await scan("in"),
      await scan("out"),
      await scan("out"),
      await scan("in"),
    ]).toEqual(["admitted", "already_in", "let_out", "not_inside", "admitted"]);
    await scan("out");
    await gate.settings("reentry = false");
    expect(await scan("in")).toBe("already_in");
  });

  it("ends a conflict once the way out between the two admissions is handed in", async () => {
    const { tickets } = await gate.sell({ general: 1 });
    const exit = await gate.phone("Exit");
    await phone.scan({ code_id: tickets[0]!, decided: "admitted", at: minutesAgo(30) });
    await phone.scan({ code_id: tickets[0]!, decided: "admitted", at: minutesAgo(10) });
    expect(
      await gate.sql(
        "select from public.admissions where code_id = $1 and conflicts_with is not null",
        tickets[0],
      ),
    ).toHaveLength(1);
    await exit.scan({ code_id: tickets[0]!, action: "out", decided: "let_out", at: minutesAgo(20) });
    expect(
      await gate.sql(
        "select from public.admissions where code_id = $1 and conflicts_with is not null",
        tickets[0],
      ),
    ).toEqual([]);
    expect(await gate.standing(tickets[0]!)).toHaveLength(1);
    await gate.settings("reentry = false");
  });
});
