// Undoing mistaken scans, and an administrator's check-in without a phone.
import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { minutesAgo, openGate, type Phone } from "./world.ts";

const { gate, phone } = await openGate();

describe("undo", () => {
  it("requires the one who made the mistake, promotes the second admission, and is audited", async () => {
    const { tickets } = await gate.sell({ general: 1 }, ["Undone Ulla"]);
    const south = await gate.phone("Undoer");
    await phone.scan({ code_id: tickets[0]!, decided: "admitted", at: minutesAgo(9) });
    await south.scan({ code_id: tickets[0]!, decided: "admitted", at: minutesAgo(8) });
    await phone.scan({ code_id: tickets[0]!, action: "undo", reason: "scanned the neighbor" });
    const [row] = await gate.sql(
      `select d.name, a.conflicts_with, a.admitted_at = t.checked_in_at as is_the_first from public.admissions a
        join public.gate_devices d on d.id = a.device_id join public.tickets t on t.id = a.code_id
        where a.code_id = $1 and a.undone_at is null`,
      tickets[0],
    );
    expect(row).toEqual({ name: "Undoer", conflicts_with: null, is_the_first: true });
    const [logged] = await gate.sql(
      "select admin_user_id, new_values from public.audit_logs where table_name = 'admissions' order by created_at desc limit 1",
    );
    expect(logged).toMatchObject({
      admin_user_id: phone.user,
      new_values: { undone: "scanned the neighbor", device: "North", name: "Undone Ulla" },
    });
    expect(await south.scan({ code_id: tickets[0]!, action: "undo", reason: "x" })).toMatchObject([
      { result: "undone" },
    ]);
    expect(await south.scan({ code_id: tickets[0]!, action: "undo", reason: "x" })).toMatchObject([
      { result: "not_inside" },
    ]);
  });
});

it("of a phone leaves the back office's check-in, and takes back its own", async () => {
  const { tickets } = await gate.sell({ general: 1 });
  await gate.call(gate.admin, "check_in_code", [tickets[0], "phone died"]);
  await gate.sql(
    "update public.admissions set admitted_at = now() - interval '1 hour' where code_id = $1",
    tickets[0],
  );
  await phone.scan({ code_id: tickets[0]!, decided: "admitted", at: minutesAgo(5) });
  await phone.scan({ code_id: tickets[0]!, action: "undo", reason: "my mistake" });
  expect(
    await gate.sql(
      "select device_name from public.admissions where code_id = $1 and undone_at is null",
      tickets[0],
    ),
  ).toEqual([{ device_name: "Back office" }]);
});

describe("undoing a named admission", () => {
  const back = (on: Phone, code: string, undoes: string | null | undefined) =>
    on.scan({ code_id: code, action: "undo", undoes: undoes!, reason: "mistaken" });
  const isIn = async (code: string) => (await gate.standing(code)).length === 1;

  it('takes back another phone\'s admission: from a search, from "already in", from the list of recent scans', async () => {
    const { tickets } = await gate.sell({ general: 3 }, ["Found", "Refused", "Listed"]);
    const other = await gate.phone("Corrector");
    await phone.scan(...tickets.map((code_id) => ({ code_id })));
    const [found] = await other.search(tickets[0]!);
    const [refused] = await other.scan({ code_id: tickets[1]! });
    const recent = (await other.recent()).find(({ code_id }) => code_id === tickets[2]);
    expect(recent).toMatchObject({ action: "in", device: "North", is_own: false, is_undone: false });
    expect(recent!.person.name).toBe("Listed");
    const named = [found!.admission_id, refused!.first!.id, recent!.id];
    for (const [index, undoes] of named.entries()) {
      expect(await back(other, tickets[index]!, undoes)).toMatchObject([{ result: "undone" }]);
      expect(await isIn(tickets[index]!)).toBe(false);
    }
    const after = (await other.recent()).filter(({ code_id }) => tickets.includes(code_id));
    expect(after.map(({ is_undone }) => is_undone)).toEqual([true, true, true]);
  });

  it("takes back the named one, not the phone's own, and nothing of another code", async () => {
    const { tickets } = await gate.sell({ general: 2 });
    const [ticket, neighbor] = tickets as [string, string];
    const other = await gate.phone("Second opinion");
    const first = randomUUID();
    await phone.scan({ id: first, code_id: ticket, decided: "admitted", at: minutesAgo(5) });
    await other.scan({ code_id: ticket, decided: "admitted", at: minutesAgo(4) });
    expect(await back(other, neighbor, first)).toMatchObject([{ result: "not_inside" }]);
    await back(other, ticket, first);
    const [row] = await gate.sql(
      "select device_name from public.admissions where code_id = $1 and undone_at is null",
      ticket,
    );
    expect(row).toEqual({ device_name: "Second opinion" });
  });

  it("brings back a person who was scanned out by mistake, once, unless they came in again", async () => {
    await gate.settings("reentry = true");
    const { tickets } = await gate.sell({ general: 1 });
    const [code_id] = tickets as [string];
    const out = randomUUID();
    await phone.scan({ code_id });
    const [inside] = await phone.search(code_id);
    await phone.scan({ code_id, id: out, action: "out" });
    expect(await isIn(code_id)).toBe(false);
    const other = await gate.phone("Way back");
    const listed = (await other.recent()).find(({ id }) => id === out);
    const since = inside!.admitted_at!;
    expect(listed).toMatchObject({
      action: "out",
      code_id,
      device: "North",
      entrance: "Main Entrance",
      since,
    });
    expect((await other.search(code_id))[0]).toMatchObject({ is_in: false, out_id: out, last_in_at: since });
    const undo = { id: randomUUID(), code_id, action: "undo", undoes: out, reason: "wrong row" } as const;
    expect(await other.scan(undo)).toMatchObject([{ result: "undone" }]);
    expect(await isIn(code_id)).toBe(true);
    expect(await other.scan(undo), "handed in again").toMatchObject([{ result: "undone" }]);
    expect(await isIn(code_id)).toBe(true);
    const log = await gate.sql(
      "select admin_user_id, new_values from public.audit_logs where new_values ->> 'code_id' = $1",
      code_id,
    );
    expect(log).toMatchObject([
      { admin_user_id: other.user, new_values: { undone: "wrong row", is_out: false, device: "Way back" } },
    ]);
    const again = randomUUID();
    await phone.scan({ code_id, id: again, action: "out" }, { code_id });
    expect(await back(phone, code_id, again)).toMatchObject([{ result: "already_in" }]);
    expect(await isIn(code_id)).toBe(true);
    await gate.settings("reentry = false");
  });
});

describe("an administrator's check-in", () => {
  const audited = async (admission: string) =>
    gate.sql(
      "select action_type, new_values from public.audit_logs where record_id = $1 order by created_at, action_type",
      admission,
    );

  it("admits without a phone whatever the doors say, and is taken back, both with a reason", async () => {
    const sold = await gate.sell({ vip: 1 }, ["Cora Carried"]);
    await gate.settings("doors_open_at = now() + interval '1 hour'");
    const checkIn = (code: string, reason = "phone died") =>
      gate.call(gate.admin, "check_in_code", [code, reason]) as Promise<string>;
    await expect(checkIn(sold.tickets[0]!, " ")).rejects.toMatchObject({
      code: "22023",
      message: "Enter a reason.",
    });
    const made = await checkIn(sold.tickets[0]!);
    const second = await gate.newUser("admin");
    await gate.call(second, "check_in_code", [sold.permits[0], "phone died"]);
    await gate.settings("doors_open_at = null");
    expect(await gate.statusOf(sold)).toBe("completed");
    expect(await phone.scan({ code_id: sold.tickets[0]! })).toMatchObject([
      { result: "already_in", first: { id: made, device: "Back office", entrance: null } },
    ]);
    await expect(checkIn(sold.tickets[0]!)).rejects.toMatchObject({
      message: "This ticket is already checked in.",
    });
    await gate.call(gate.admin, "undo_admission", [made, "it was her sister"]);
    expect(await gate.statusOf(sold)).toBe("confirmed");
    expect(await audited(made)).toMatchObject([
      { action_type: "CREATE", new_values: { reason: "phone died", name: "Cora Carried" } },
      { action_type: "UPDATE", new_values: { undone: "it was her sister", device: "Back office" } },
    ]);
    await expect(gate.call(gate.admin, "undo_admission", [made, "twice"])).rejects.toMatchObject({
      message: "This check-in was already undone.",
    });
    expect(await phone.scan({ code_id: sold.tickets[0]! })).toMatchObject([{ result: "admitted" }]);
    const actors = (await gate.call(gate.admin, "get_order_actors", [sold.order])) as object;
    expect(Object.keys(actors).toSorted(), "not the phone's user").toEqual([gate.admin, second].toSorted());
  });

  it("is refused for refunded tickets, and to everybody else", async () => {
    const { order, tickets } = await gate.sell({ general: 1 });
    await expect(gate.call(phone.user, "check_in_code", [tickets[0], "x"])).rejects.toMatchObject({
      code: "42501",
    });
    await expect(gate.call(phone.user, "undo_admission", [randomUUID(), "x"])).rejects.toMatchObject({
      code: "42501",
    });
    await gate.sql("select public.take_back($1, null, null)", order);
    await expect(gate.call(gate.admin, "check_in_code", [tickets[0], "x"])).rejects.toMatchObject({
      message: "This ticket is no longer valid.",
    });
  });
});
