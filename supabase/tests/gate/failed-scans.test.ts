// A scan that cannot be written prevents no other from being written, and none is lost.
import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { minutesAgo, openGate } from "./world.ts";

const { gate, phone } = await openGate();

it("keeps the other scans when one cannot be written, and leaves that one to be sent again", async () => {
  const { tickets } = await gate.sell({ general: 2 });
  await gate.sql(
    `create function public.break_one() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$`,
  );
  await gate.sql(
    `create trigger break_one before insert on public.admissions for each row when (new.code_id = '${tickets[0]}') execute function public.break_one()`,
  );
  const results = await phone.scan({ code_id: tickets[0]! }, { code_id: tickets[1]! });
  await gate.sql("drop function public.break_one() cascade");
  expect(results).toMatchObject([{ result: "admitted", person: { code: tickets[1]!.slice(0, 8) } }]);
  expect(
    await gate.sql(
      "select new_values ->> 'error' as error from public.audit_logs where action_type = 'ERROR_GATE_SCAN'",
    ),
  ).toEqual([{ error: "broken" }]);
  expect(await phone.scan({ code_id: tickets[0]! })).toMatchObject([{ result: "admitted" }]);
});

it("answers several hundred that cannot be recorded, logs them in the audit log, and admits those behind them", async () => {
  const { tickets } = await gate.sell({ general: 2 });
  await gate.sql(
    `create function public.break_all() returns trigger language plpgsql as $$ begin raise exception 'all broken' using errcode = '23514'; end $$`,
  );
  await gate.sql(
    `create trigger break_all before insert on public.admissions for each row when (new.code_id = '${tickets[0]}') execute function public.break_all()`,
  );
  const scan = (code: string) => ({
    id: randomUUID(),
    code_id: code,
    decided: "admitted" as const,
    at: minutesAgo(30),
  });
  const bad = Array.from({ length: 300 }, () => scan(tickets[0]!));
  const good = scan(tickets[1]!);
  const answers = new Map<string, unknown>();
  // A call ends when its time is up; the phone sends the rest again, from the front.
  for (let calls = 0; calls < 10 && answers.size < 301; calls++) {
    const queue = [...bad, good].filter(({ id }) => !answers.has(id));
    for (const answer of await phone.scan(...queue)) answers.set(answer.id, answer);
  }
  await gate.sql("drop function public.break_all() cascade");
  expect(answers.get(good.id)).toMatchObject({ result: "admitted" });
  for (const { id } of bad)
    expect(answers.get(id)).toMatchObject({ result: "unknown", detail: "not_recorded" });
  const [kept] = await gate.sql(
    `select count(distinct new_values #>> '{scan,id}')::int as scans from public.audit_logs
      where action_type = 'ERROR_GATE_SCAN' and new_values ->> 'error' = 'all broken' and new_values #>> '{scan,code_id}' = $1`,
    tickets[0],
  );
  expect(kept).toEqual({ scans: 300 });
});

it("leaves a scan that only a lock kept out to be sent again", async () => {
  const { tickets } = await gate.sell({ general: 1 });
  await gate.sql(
    `create function public.lock_out() returns trigger language plpgsql as $$ begin raise exception 'locked' using errcode = '55P03'; end $$`,
  );
  await gate.sql(
    "create trigger lock_out before insert on public.admissions for each row execute function public.lock_out()",
  );
  const scan = { id: randomUUID(), code_id: tickets[0]!, decided: "admitted" as const };
  const locked = await phone.scan(scan);
  await gate.sql("drop function public.lock_out() cascade");
  expect(locked).toEqual([]);
  const pending = async () => (await gate.board()).devices.find(({ id }) => id === phone.id)!.pending;
  expect(await pending(), "it still waits on the phone").toBe(1);
  expect(await phone.scan(scan)).toMatchObject([{ result: "admitted" }]);
  expect(await pending()).toBe(0);
});
