// Who is found at the gate by name, mail, plate or number, and what is shown about them.
import { expect, it } from "vitest";
import { entrances, openGate, type Phone } from "./world.ts";

const { gate, phone } = await openGate();

it("shows included parking on one VIP ticket of an order", async () => {
  const { order, tickets } = await gate.sell({ vip: 3 });
  const including = async () => {
    const people = await phone.search(order);
    return people.filter(({ includes_parking }) => includes_parking).map(({ id }) => id);
  };
  const [lowest, next] = tickets.toSorted() as [string, string];
  expect(await including()).toEqual([lowest]);
  await gate.sql("select public.take_back($1, array[$2::uuid], null)", order, lowest);
  expect(await including()).toEqual([next]);
});

it("admits a person whom a search found, whatever their issue number", async () => {
  const sold = await gate.sell({ general: 1 }, ["Zydeco Zimmerman"]);
  await gate.sql("update public.tickets set issue_number = 7 where order_id = $1", sold.order);
  const [ticket] = sold.tickets;
  const numbers = [ticket!.slice(0, 8), ticket!.slice(4, 8), sold.order.slice(0, 8), sold.order.slice(3, 8)];
  for (const text of ["zydeco", ...numbers, ...numbers.map((number) => ` #${number.toUpperCase()}`)]) {
    expect(
      (await phone.search(text)).map(({ id }) => id),
      text,
    ).toContain(ticket);
  }
  expect(await phone.search("z")).toEqual([]);
  expect(await phone.scan({ code_id: ticket!, issue_number: null, by: "search" })).toMatchObject([
    { result: "admitted" },
  ]);
  const [found] = await phone.search("Zydeco");
  expect(found).toMatchObject({ admitted_at: expect.any(Number), entrance_id: entrances.main });
});

it("finds by mail, plate and the buyer's name, own names first, and not by the middle of a word", async () => {
  const { tickets, permits } = await gate.sell({ general: 2, preferred: 1 }, [
    "Quentin Broussard",
    "Xavier Thibodeaux",
  ]);
  const ids = async (text: string) => (await phone.search(text)).map(({ id }) => id);
  await gate.sql("update public.entry_codes set plate = 'BAYOU 77' where id = $1", permits[0]);
  expect(await ids("thibo")).toEqual([tickets[1], expect.any(String), expect.any(String)]);
  expect((await ids("quentin brou")).slice(0, 2).toSorted()).toEqual([tickets[0], permits[0]].toSorted());
  expect(await ids("ibodeaux")).toEqual([]);
  await gate.sql(
    "update public.orders set buyer_email = 'one.mail@buyers.test' where id = (select order_id from public.tickets where id = $1)",
    tickets[0],
  );
  expect((await ids("one.mail@buyers.test")).toSorted(), "the whole order").toEqual(
    [...tickets, ...permits].toSorted(),
  );
  expect(await ids("bayou 7")).toEqual(permits);
  expect(await ids("BA%OU")).toEqual([]);
  expect(await ids(permits[0]!)).toEqual(permits);
  expect(await ids("thibo")).toHaveLength(3);
});

it.each([
  ["Zoë Nguyễn", ["Zoe nguyen", "nguyen zoë", "ngu zoe"]],
  ["Marcus Okonkwo-Bell", ["okonkwo marcus", "okonkwobell", "bell okonkwo", "marc okonkwo-bell"]],
  ["Đặng Łukasz O’Brien", ["dang", "lukasz obrien", "o'brien đang"]],
])("finds %s however the name is typed", async (name, texts) => {
  const { tickets } = await gate.sell({ general: 1 }, [name]);
  for (const text of texts) {
    expect(
      (await phone.search(text)).map(({ id }) => id),
      text,
    ).toEqual(tickets);
  }
});

it("lists only permits at a parking entrance, with the answer that a scan there would give", async () => {
  const { tickets, permits, order } = await gate.sell({ vip: 1, preferred: 1 }, ["Petra Parker"]);
  const lot = await gate.phone(undefined, entrances.parking);
  const found = async (on: Phone) =>
    Object.fromEntries((await on.search(order)).map(({ id, would, is_in }) => [id, { would, is_in }]));
  const may = { would: "admitted", is_in: false };
  expect(await found(lot)).toEqual({ [permits[0]!]: may, [permits[1]!]: may });
  const elsewhere = { would: "wrong_entrance", is_in: false };
  expect(await found(phone)).toEqual({
    [tickets[0]!]: may,
    [permits[0]!]: elsewhere,
    [permits[1]!]: elsewhere,
  });
  await phone.scan({ code_id: tickets[0]! });
  expect((await found(phone))[tickets[0]!]).toEqual({ would: "already_in", is_in: true });
  await gate.sql("update public.gate_entrances set is_open = false where id = $1", entrances.parking);
  expect(await found(lot)).toMatchObject({ [permits[0]!]: { would: "closed" } });
  await gate.sql("update public.gate_entrances set is_open = true where id = $1", entrances.parking);
  await gate.sql("select public.take_back($1, null, null)", order);
  expect(await found(lot)).toMatchObject({ [permits[0]!]: { would: "void" } });
});
