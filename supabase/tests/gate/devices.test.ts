// Phones at the gate: their names, their users, and how they are removed.
import { randomUUID } from "node:crypto";
import { gateAccessRemoved } from "contract/gate";
import { describe, expect, it } from "vitest";
import { minutesAgo, openGate, type Phone } from "./world.ts";

const { db, gate, phone } = await openGate();

describe("devices", () => {
  const removed = (promise: Promise<unknown>) =>
    promise.then(
      () => undefined,
      (error: { code?: string; detail?: string; hint?: string }) =>
        gateAccessRemoved({ code: error.code, details: error.detail, hint: error.hint }),
    );

  it("with the same name get distinct names, until the first is put away", async () => {
    const first = await gate.phone("Tower");
    const second = gate.phoneOf(await gate.newUser("gate"));
    expect((await second.open("tower ")).device).toMatchObject({ name: "tower (2)", renamed: true });
    await gate.call(first.user, "gate_leave", [first.id]);
    expect((await second.open("Tower")).device).toMatchObject({ name: "Tower", renamed: false });
  });

  it("say so when a name is used up, instead of failing", async () => {
    await gate.sql(
      "insert into public.gate_devices (id, name) select gen_random_uuid(), case when n = 1 then 'Post' else format('Post (%s)', n) end from generate_series(1, 999) as n",
    );
    const next = gate.phoneOf(await gate.newUser("gate"));
    const usedUp = { code: "23514", message: 'Too many phones are named "Post". Choose another name.' };
    await expect(next.open("Post")).rejects.toMatchObject(usedUp);
    await gate.sql("delete from public.gate_devices where name like 'Post%'");
  });

  it("require a role, and belong only to the user who opened them", async () => {
    const buyer = gate.phoneOf(await gate.newUser());
    expect(await removed(buyer.open("x"))).toBe("role_removed");
    const ended = gate.phoneOf(await gate.newUser("gate"));
    await ended.open("x");
    await gate.sql("update public.user_roles set expires_at = now() where user_id = $1", ended.user);
    expect(await removed(ended.list())).toBe("role_removed");
    const thief = gate.phoneOf(await gate.newUser("gate"), phone.id);
    expect(await removed(thief.scan({}))).toBe("unknown_device");
    expect(await removed(thief.open("Mine"))).toBe("unknown_device");
    expect((await phone.open()).device.name).toBe("North");
  });

  it("record in each scan the name they had then", async () => {
    const { tickets } = await gate.sell({ general: 2 });
    const renamed = await gate.phone("Old name");
    await renamed.scan({ code_id: tickets[0]! });
    await renamed.open("New name");
    await renamed.scan({ code_id: tickets[1]! }, { code_id: tickets[0]! });
    const names = (await renamed.recent()).map(({ device }) => device);
    expect(names.filter((name) => name?.endsWith("name"))).toEqual(["New name", "Old name"]);
    const { last_refused } = await gate.board();
    expect(last_refused[0]).toMatchObject({ reason: "already_in", device: "New name" });
  });

  it("show on the board at once why they may no longer scan", async () => {
    const lost = async ({ id }: Phone) =>
      (await gate.board()).devices.find((device) => device.id === id)!.lost;
    const worker = await gate.phone("Worker");
    expect(await lost(worker)).toBeNull();
    await gate.call(gate.admin, "revoke_gate_device", [worker.id]);
    expect(await lost(worker)).toBe("device_revoked");
    await gate.call(gate.admin, "restore_gate_device", [worker.id]);
    await gate.sql("delete from public.user_roles where user_id = $1", worker.user);
    expect(await lost(worker)).toBe("role_removed");
    expect(await removed(worker.list())).toBe("role_removed");
  });

  it("are notified when their sign-in has ended, though their user may continue", async () => {
    const session = randomUUID();
    const user = await gate.newUser("gate");
    await gate.sql("insert into auth.sessions (id, user_id) values ($1, $2)", session, user);
    const signedOut = gate.phoneOf(user, undefined, session);
    await signedOut.open("Signed out");
    await gate.sql("delete from auth.sessions where id = $1", session);
    const calls = [signedOut.open(), signedOut.list(), signedOut.scan({}), signedOut.search("ana")];
    expect(new Set(await Promise.all(calls.map(removed)))).toEqual(new Set(["session_ended"]));
  });

  it("change hands once their user has signed out or may no longer work at the gate", async () => {
    const shared = await gate.phone("Shared");
    const next = gate.phoneOf(await gate.newUser("gate"), shared.id);
    expect(await removed(next.open())).toBe("unknown_device");
    await gate.call(shared.user, "gate_leave", [shared.id]);
    // A page of waiting scans that the sign-out has overtaken.
    await gate.call(shared.user, "gate_scan", [shared.id, "[]", 3]);
    expect((await next.open()).device.name).toBe("Shared");
    await gate.sql("update public.user_roles set expires_at = now() where user_id = $1", next.user);
    const last = gate.phoneOf(await gate.newUser("gate"), shared.id);
    expect((await last.open()).device.name).toBe("Shared");
    expect((await gate.phoneOf(gate.admin, shared.id).open()).device.name).toBe("Shared");
  });

  it("are 200 a day for one account, which a whole crew may share", async () => {
    const user = await gate.newUser("gate");
    await gate.sql(
      `insert into public.gate_devices (id, user_id, name, created_at)
       select gen_random_uuid(), $1, 'Crew ' || n, now() - case when n = 1 then interval '25 hours' else interval '1 hour' end
       from generate_series(1, 200) as n`,
      user,
    );
    await gate.phoneOf(user).open("The 200th today");
    await expect(gate.phoneOf(user).open("One more")).rejects.toMatchObject({
      code: "23514",
      message: expect.stringContaining("too many devices today"),
    });
  });

  it("do not wait more than two seconds for another one that is just getting its name", async () => {
    const next = gate.phoneOf(await gate.newUser("gate"));
    await db.database.asService("a phone opens slowly").transaction(async (tx) => {
      await tx.query("select public.free_device_name(gen_random_uuid(), 'Slow')");
      const began = performance.now();
      await expect(next.open("Quick")).rejects.toMatchObject({ code: "55P03" });
      expect(performance.now() - began).toBeLessThan(2000);
    });
    expect((await next.open("Quick")).device.name).toBe("Quick");
  });

  it("that were put away are off the board, unless they go on working", async () => {
    const own = await gate.phone("Put away");
    const isOnBoard = async () => (await gate.board()).devices.some(({ id }) => id === own.id);
    await gate.call(own.user, "gate_leave", [own.id]);
    await own.scan({});
    expect(await isOnBoard()).toBe(false);
    await gate.sql(
      `update public.gate_devices set left_at = left_at - interval '1 minute', last_seen_at = left_at - interval '1 minute'
        where id = $1`,
      own.id,
    );
    await own.scan({});
    expect(await isOnBoard()).toBe(true);
  });

  it("keep the count of their waiting scans on the board until they report another one", async () => {
    const own = await gate.phone("Behind");
    const pending = async () =>
      (await gate.sql("select pending from public.gate_devices where id = $1", own.id))[0]!["pending"];
    await gate.call(own.user, "gate_open", [own.id, null, null, 3]);
    expect(await pending()).toBe(3);
    await own.list();
    await own.search("ana");
    await own.recent();
    await own.open();
    expect(await pending()).toBe(3);
    await own.scan({ action: "refused", decided: "unknown" });
    expect(await pending()).toBe(0);
  });

  it("that are revoked may do nothing, not even under another id, until they are restored", async () => {
    const user = await gate.newUser("gate");
    const session = randomUUID();
    await gate.sql("insert into auth.sessions (id, user_id) values ($1, $2)", session, user);
    const lost = gate.phoneOf(user, undefined, session);
    await lost.open("Lost");
    const alsoLost = gate.phoneOf(user, undefined, session);
    await alsoLost.open("Also lost");
    await gate.call(gate.admin, "revoke_gate_device", [lost.id]);
    expect(await removed(alsoLost.scan({}))).toBe("device_revoked");
    expect(await removed(alsoLost.list())).toBe("device_revoked");
    expect(await removed(alsoLost.search("ana"))).toBe("device_revoked");
    expect(await removed(lost.scan({}))).toBe("device_revoked");
    expect(await removed(lost.list())).toBe("device_revoked");
    expect(await removed(lost.search("ana"))).toBe("device_revoked");
    expect(await removed(lost.open())).toBe("device_revoked");
    expect(await removed(gate.phoneOf(user, undefined, session).open("Another"))).toBe("device_revoked");
    await gate.call(gate.admin, "restore_gate_device", [lost.id]);
    expect((await lost.open()).device).toMatchObject({ name: "Lost" });
    expect((await alsoLost.list()).reset).toBe(true);
    const log = await gate.sql(
      "select new_values ->> 'revoked' as revoked from public.audit_logs where record_id = $1 order by created_at",
      lost.id,
    );
    expect(log).toEqual([{ revoked: "true" }, { revoked: "false" }]);
  });

  it("that are revoked report what they hold, each for itself", async () => {
    const [lost, other] = [await gate.phone("Lost in the rain"), await gate.phone("Other")];
    await gate.call(gate.admin, "revoke_gate_device", [lost.id]);
    await gate.sql("update public.gate_devices set last_seen_at = now() - interval '1 hour'");
    await gate.call(lost.user, "gate_waiting", [lost.id, 4]);
    await gate.call(lost.user, "gate_waiting", [other.id, 9]);
    const { devices, now } = await gate.board();
    const onBoard = (id: string) => devices.find((device) => device.id === id)!;
    expect(onBoard(lost.id)).toMatchObject({ pending: 4, lost: "device_revoked" });
    expect(now - onBoard(lost.id).last_seen_at).toBeLessThan(60_000);
    expect(onBoard(other.id)).toMatchObject({ pending: 0 });
  });

  it("that are revoked are refused to administrators too, who only upload what was scanned before", async () => {
    const session = randomUUID();
    const admin = await gate.newUser("admin");
    await gate.sql("insert into auth.sessions (id, user_id) values ($1, $2)", session, admin);
    const own = gate.phoneOf(admin, undefined, session);
    await own.open("Administrator's");
    const other = gate.phoneOf(admin, undefined, session);
    await other.open("Administrator's second");
    const held = { action: "in", decided: "admitted", at: minutesAgo(1) } as const;
    await gate.sql("update public.gate_devices set created_at = created_at - interval '1 hour'");
    await gate.call(gate.admin, "revoke_gate_device", [own.id]);

    const { tickets } = await gate.sell({ general: 5 });
    const [before, later, now, elsewhere, bySomebody] = tickets.map((code_id) => ({ code_id }));
    const third = gate.phoneOf(gate.admin, own.id);
    const unopened = gate.phoneOf(admin, undefined, session);
    const stays = { ...later!, ...held, at: Date.now() + 60_000 };
    for (const phone of [own, other, third, unopened]) {
      const calls = [
        phone.open(),
        phone.list(),
        phone.search("ana"),
        phone.recent(),
        phone.scan(),
        phone.scan(now!),
        phone.scan({ ...now!, action: "undo", reason: "Mistake" }),
        phone.scan(stays),
        gate.call(phone.user, "gate_leave", [phone.id], phone === third ? undefined : session),
      ];
      expect(new Set(await Promise.all(calls.map(removed)))).toEqual(new Set(["device_revoked"]));
    }

    expect(await own.scan({ ...before!, ...held }, stays, now!)).toMatchObject([{ result: "admitted" }]);
    const [left] = await gate.sql("select pending from public.gate_devices where id = $1", own.id);
    expect(left, "scans from after it was revoked stay on the phone").toEqual({ pending: 2 });
    expect(await other.scan({ ...elsewhere!, ...held })).toMatchObject([{ result: "admitted" }]);
    expect(await third.scan({ ...bySomebody!, ...held })).toMatchObject([{ result: "admitted" }]);
    expect(await removed(unopened.scan({ ...now!, ...held }))).toBe("device_revoked");
    const standing = await Promise.all(tickets.map(async (code) => (await gate.standing(code)).length));
    expect(standing).toEqual([1, 0, 0, 1, 1]);

    await gate.call(gate.admin, "restore_gate_device", [own.id]);
    expect((await own.open()).device.name).toBe("Administrator's");
    expect(await own.scan(stays)).toMatchObject([{ result: "admitted" }]);
  });
});
