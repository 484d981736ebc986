// A phone may send anything: invalid scans are refused clearly, and the scans sent with them are answered.
import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { openGate } from "./world.ts";

const { gate, phone } = await openGate();

const say = (pending: unknown, now: unknown) =>
  gate.call(phone.user, "gate_scan", [phone.id, "[]", pending, now]);

it.each([
  ["a time far beyond", "9223372036854775807", "p_device_now must be a time in milliseconds."],
  ["a time far before", "-1e300", "p_device_now must be a time in milliseconds."],
  ["no number", "NaN", "p_device_now must be a time in milliseconds."],
  ["the last millisecond a phone knows", "8640000000000000", undefined],
  ["a clock that was never set", 0, undefined],
])("refuses clearly or takes what a phone says of its clock: %s", async (_what, now, message) => {
  if (message === undefined) await expect(say(0, now)).resolves.toMatchObject({ results: [] });
  else await expect(say(0, now)).rejects.toMatchObject({ code: "22023", message });
});

it("refuses clearly an impossible number of waiting scans", async () => {
  const refusal = { code: "22023", message: "p_pending must be a number of scans." };
  await expect(say("99999999999999999999", null)).rejects.toMatchObject(refusal);
  await expect(say(-1, null)).resolves.toMatchObject({ results: [] });
});

it("answers each scan, even if others in the same call are invalid", async () => {
  const { tickets } = await gate.sell({ general: 1 });
  const nonsense = [
    17,
    { id: "no id", action: "in" },
    { id: randomUUID(), action: "dance", code_id: tickets[0] },
    { id: randomUUID(), action: "in", code_id: "no code", issue_number: "x", at: "y", decided: null },
    { id: randomUUID(), action: "in", code_id: tickets[0], issue_number: 1, at: 1, decided: null },
  ];
  const answer = (await gate.call(phone.user, "gate_scan", [phone.id, JSON.stringify(nonsense)])) as {
    results: { result: string }[];
  };
  expect(answer.results.map(({ result }) => result)).toEqual([
    "unknown",
    "unknown",
    "unknown",
    "unknown",
    "admitted",
  ]);
});

it("admits nobody under the id of another code's scan, or of another phone's", async () => {
  const { tickets } = await gate.sell({ general: 3 });
  const south = await gate.phone();
  const [id, twice] = [randomUUID(), randomUUID()];
  expect(await phone.scan({ id, code_id: tickets[0]! })).toMatchObject([{ result: "admitted" }]);
  const malformed = [{ result: "unknown", detail: "malformed" }];
  for (const decided of [null, "admitted"] as const) {
    expect(await phone.scan({ id, code_id: tickets[1]!, decided })).toMatchObject(malformed);
    expect(await south.scan({ id, code_id: tickets[0]!, decided })).toMatchObject(malformed);
  }
  const refused = { id, code_id: tickets[0]!, action: "refused", decided: "void" } as const;
  expect(await south.scan(refused)).toMatchObject(malformed);
  expect(await gate.standing(tickets[0]!)).toEqual([{ id }]);
  expect(
    await phone.scan({ id: twice, code_id: tickets[1]! }, { id: twice, code_id: tickets[2]! }),
  ).toMatchObject([{ result: "admitted" }, malformed[0]]);
  expect(await gate.standing(tickets[2]!)).toEqual([]);
});

it("refuses more than a thousand scans at once", async () => {
  const scans = JSON.stringify(Array.from({ length: 1001 }, () => ({})));
  await expect(gate.call(phone.user, "gate_scan", [phone.id, scans])).rejects.toMatchObject({
    code: "22023",
  });
});
