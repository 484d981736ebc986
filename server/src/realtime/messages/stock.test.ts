// The remaining stock, as visitors of /tickets receive it: once per change, and only from the server.
import { beforeEach, expect, it } from "vitest";
import { alice, person, subscribed, useRealtime, waitFor } from "../../../testing/realtime.ts";

const server = await useRealtime();
beforeEach(async () => {
  await tell();
  await server.sql("delete from realtime.messages");
});

const tell = async () => (await server.sql("select public.broadcast_stock() as sent")).rows[0]!.sent;

async function listen(who?: string) {
  const heard: any[] = [];
  const client = await server.connect(who ? person(who) : undefined);
  const broadcast = { replay: { since: Date.now() - 60_000, limit: 1 } };
  const channel = client.channel("stock", { config: { private: true, broadcast } });
  channel.on("broadcast", { event: "left" }, ({ payload }) => heard.push(payload));
  await subscribed(channel);
  return { channel, heard };
}

it("reaches visitors and buyers when it has changed, without what is hidden, and once", async () => {
  const ears = [await listen(), await listen(alice)];
  expect(await tell()).toBe(false);
  await server.sql("update public.ticket_types set is_hidden = true where name like 'Youth%'");
  await server.sql("update public.ticket_types set current_inventory = 7, waiting = 3 where is_vip");
  expect(await tell()).toBe(true);
  expect(await tell()).toBe(false);
  const { rows } = await server.sql(`
    select id, version, jsonb_build_object('current_inventory', current_inventory, 'waiting', waiting) as units
      from public.products where not is_hidden`);
  const left = Object.fromEntries(rows.map(({ id, units }) => [id, units]));
  const versions = rows.reduce((sum, { version }) => sum + Number(version), 0);
  for (const { heard } of ears)
    await waitFor(() => expect(heard).toEqual([{ left, versions, id: expect.any(String) }]));
  expect(Object.values(left)).toContainEqual({ current_inventory: 7, waiting: 3 });
});

it("is sent to later visitors as it was last sent", async () => {
  await server.sql("update public.ticket_types set current_inventory = 11 where is_vip");
  await tell();
  const { heard } = await listen();
  await waitFor(() => expect(heard).toHaveLength(1));
  expect(Object.values(heard[0].left)).toContainEqual(expect.objectContaining({ current_inventory: 11 }));
});

it("cannot be forged by a visitor", async () => {
  const [honest, forger] = [await listen(), await listen(alice)];
  await forger.channel.send({ type: "broadcast", event: "left", payload: { left: {}, versions: 0 } });
  await server.sql("update public.ticket_types set current_inventory = 12 where is_vip");
  await tell();
  await waitFor(() => expect(honest.heard).toHaveLength(1));
  expect(honest.heard[0].versions).toBeGreaterThan(0);
});
