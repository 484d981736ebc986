// Invitations to volunteers' own phones.
import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { entrances, minutesAgo, openGate } from "./world.ts";

const { gate } = await openGate();

describe("invitations", () => {
  const create = async (day = "2099-01-01") =>
    (await gate.call(gate.admin, "create_gate_invitation", ["Volunteers", entrances.express, day])) as {
      id: string;
      token: string;
    };
  const tomorrow = async () =>
    (await gate.sql("select (public.festival_day(now()) + 1)::text as day"))[0]!.day as string;
  const find = async (token: string, email = "gate-new@gate.invalid") =>
    (await gate.sql("select public.find_gate_invitation($1, $2) as found", token, email))[0]!.found;
  const join = async (id: string, email: string) =>
    (await gate.sql("select public.join_gate_invitation($1, $2) as joined", id, email))[0]!.joined;
  /** The account that a phone gets when it opens the link. */
  const invite = async (id: string) => {
    const user = randomUUID();
    const email = `gate-${user}@gate.invalid`;
    await gate.sql(
      "insert into auth.users (id, email, raw_app_meta_data) values ($1, $2, jsonb_build_object('gate_invitation', $3::text))",
      ...[user, email, id],
    );
    return { user, email };
  };

  it("end with their day in Houston, are stored as hashes, and are refused for other days", async () => {
    const day = await tomorrow();
    const made = await create(day);
    const [row] = await gate.sql(
      `select to_char(expires_at at time zone 'America/Chicago', 'HH24:MI') as time, encode(token_hash, 'hex') as hash,
        public.festival_day(expires_at)::text as day, ($2::date + 1)::text as expected
        from public.gate_invitations where id = $1`,
      made.id,
      day,
    );
    expect(row).toMatchObject({ time: "00:00", day: row!.expected });
    expect(row!.hash).not.toContain(made.token);
    expect(await find(made.token)).toEqual({
      id: made.id,
      entrance_id: entrances.express,
      is_full: false,
      has_joined: false,
    });
    await expect(
      gate.call(gate.admin, "create_gate_invitation", ["Crew", null, await tomorrow(), 0]),
    ).rejects.toMatchObject({ message: "An invitation can be for 1 to 200 phones." });
    await expect(create("2001-01-01")).rejects.toMatchObject({ code: "22023" });
    await expect(create()).rejects.toMatchObject({ code: "22023" });
  });

  it("give a device account the gate until then, and remove it at once when they are revoked", async () => {
    const made = await create(await tomorrow());
    const { user, email } = await invite(made.id);
    expect(await join(made.id, email)).toBe(true);
    expect(await find(made.token, email)).toMatchObject({ has_joined: true });
    expect(await join(made.id, email), "asked again after a lost answer").toBe(true);
    const invited = gate.phoneOf(user);
    const bound = { entrance_id: entrances.express, is_bound: true };
    expect((await invited.open("Volunteer")).device).toMatchObject(bound);
    expect((await invited.open(undefined, entrances.main)).device, "it cannot choose").toMatchObject(bound);
    const { tickets } = await gate.sell({ general: 1 });
    expect(await invited.scan({ code_id: tickets[0]!, entrance_id: entrances.main })).toMatchObject([
      { result: "wrong_entrance" },
    ]);
    const lost = async () => (await gate.board()).devices.find(({ id }) => id === invited.id)!.lost;
    expect(await lost()).toBeNull();
    await gate.call(gate.admin, "revoke_gate_device", [invited.id]);
    const again = gate.phoneOf(user);
    await expect(again.open("Again"), "in a new session").rejects.toMatchObject({ hint: "device_revoked" });
    await gate.call(gate.admin, "restore_gate_device", [invited.id]);
    await again.open("Again");
    const listed = (await gate.call(gate.admin, "list_users", [`gate-${user}`])) as { rows: unknown[] };
    expect(listed.rows).toEqual([]);
    await gate.call(gate.admin, "revoke_gate_invitation", [made.id]);
    const revoked = { code: "42501", detail: "gate_access_removed", hint: "invitation_revoked" };
    await expect(invited.list()).rejects.toMatchObject(revoked);
    expect(await lost()).toBe("invitation_revoked");
    expect(await find(made.token)).toBeNull();
    expect(await join(made.id, email)).toBe(false);
    await gate.sql(
      "update public.user_roles set expires_at = now() - interval '2 days' where user_id = $1",
      user,
    );
    await gate.sql("select public.clean_up()");
    expect(await gate.sql("select from auth.users where id = $1", user)).toEqual([]);
  });

  it("revoke a phone for good, whatever becomes of its account", async () => {
    const made = await create(await tomorrow());
    const { user, email } = await invite(made.id);
    await join(made.id, email);
    const phone = gate.phoneOf(user);
    await phone.open("Volunteer");
    const leave = gate.call(user, "preview_account_deletion", []);
    expect(await leave).toMatchObject({ refusal: "A gate phone's account ends with its invitation." });
    await gate.call(gate.admin, "revoke_gate_device", [phone.id]);
    await gate.sql("delete from auth.users where id = $1", user);
    const again = randomUUID();
    await gate.sql(
      "insert into auth.users (id, email, raw_app_meta_data) values ($1, $2, jsonb_build_object('gate_invitation', $3::text))",
      ...[again, email, made.id],
    );
    expect(await join(made.id, email), "its own place").toBe(true);
    const other = await invite(made.id);
    expect(await join(made.id, other.email), "no second place").toBe(false);
    await expect(gate.phoneOf(again).open("Again")).rejects.toMatchObject({ hint: "device_revoked" });
  });

  it("let a phone open five devices a day", async () => {
    const made = await create(await tomorrow());
    const { user, email } = await invite(made.id);
    await join(made.id, email);
    for (let device = 0; device < 5; device++) await gate.phoneOf(user).open("Cleared");
    await expect(gate.phoneOf(user).open("Cleared")).rejects.toMatchObject({
      code: "23514",
      message: expect.stringContaining("too many devices today"),
    });
  });

  it("bind a phone from then on: what it decided before for somebody else stays at its entrance", async () => {
    const shared = await gate.phone("Shared", entrances.main);
    await gate.sql("update public.user_roles set expires_at = now() where user_id = $1", shared.user);
    const volunteer = async (device?: string) => {
      const made = await create(await tomorrow());
      const { user, email } = await invite(made.id);
      await join(made.id, email);
      const phone = gate.phoneOf(user, device);
      await phone.open("Volunteer");
      return phone;
    };
    const next = await volunteer(shared.id);
    const { tickets } = await gate.sell({ general: 4 });
    const alone = { decided: "admitted", entrance_id: entrances.main, at: minutesAgo(60) } as const;
    const [waited, ...others] = await next.scan(
      { ...alone, code_id: tickets[0]! },
      { ...alone, code_id: tickets[1]!, at: Date.now() },
      { ...alone, code_id: tickets[2]!, decided: null },
    );
    expect(waited).toMatchObject({ result: "admitted" });
    expect(waited).not.toHaveProperty("despite");
    expect(others).toMatchObject([
      { result: "admitted", despite: "wrong_entrance" },
      { result: "wrong_entrance" },
    ]);
    const fresh = await volunteer();
    expect(await fresh.scan({ ...alone, code_id: tickets[3]! }), "it had no entrance before").toMatchObject([
      { result: "admitted", despite: "wrong_entrance" },
    ]);
    const places = await gate.sql(
      "select entrance_id from public.admissions where code_id = any ($1) order by array_position($1, code_id)",
      tickets,
    );
    expect(places.map(({ entrance_id }) => entrance_id)).toEqual([
      entrances.main,
      entrances.express,
      entrances.express,
    ]);
  });
});
