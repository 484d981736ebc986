// Scans are broadcast to the holder of the pass and to nobody else.
import { expect, it } from "vitest";
import { person, subscribed, useRealtime, waitFor } from "../../../server/testing/realtime.ts";
import { openGate, type Sold } from "./world.ts";

const { db, gate, phone } = await openGate();
const server = await useRealtime({}, { database: db });

/** Returns how many holders were notified. */
const notify = async () =>
  (await gate.sql("select public.broadcast_scans() as notified"))[0]!.notified as number;

async function holderOf({ order }: Sold): Promise<string> {
  const [row] = await gate.sql("select user_id from public.orders where id = $1", order);
  return row!.user_id as string;
}

async function listen(user: string, topic = `scans:${user}`) {
  const heard: string[] = [];
  const channel = (await server.connect(person(user))).channel(topic, { config: { private: true } });
  await subscribed(channel.on("broadcast", { event: "scanned" }, ({ event }) => heard.push(event)));
  return heard;
}

it("reach the holder once per batch, and again when undone, on a topic only the holder may read", async () => {
  const [sold, other] = [await gate.sell({ general: 2, preferred: 1 }), await gate.sell({ general: 1 })];
  const [holder, stranger] = [await holderOf(sold), await holderOf(other)];
  await notify();
  const [heard, notHeard] = [await listen(holder), await listen(stranger)];
  await expect(listen(stranger, `scans:${holder}`)).rejects.toThrow("Unauthorized");

  await phone.scan(...sold.tickets.map((code_id) => ({ code_id })));
  expect([await notify(), await notify()]).toEqual([1, 0]);
  await waitFor(() => expect(heard).toHaveLength(1));
  await phone.scan({ code_id: sold.tickets[0]!, action: "undo", reason: "mistaken" });
  expect([await notify(), await notify()]).toEqual([1, 0]);
  await gate.call(gate.admin, "check_in_code", [sold.permits[0], "by hand"]);
  expect([await notify(), await notify()]).toEqual([1, 0]);
  await waitFor(() => expect(heard).toHaveLength(3));
  expect(notHeard).toEqual([]);
});

it("are broadcast once committed, however late; sales are not", async () => {
  const { tickets } = await gate.sell({ general: 1 });
  await notify();
  await server.transaction(async (tx) => {
    await tx.query("update public.tickets set checked_in_at = now() where id = $1", [tickets[0]]);
    await gate.sell({ general: 1 });
    expect(await notify()).toBe(0);
  });
  expect([await notify(), await notify()]).toEqual([1, 0]);
});

it("are broadcast after a restored dump only if they happen after it", async () => {
  const { tickets } = await gate.sell({ general: 2 });
  await phone.scan({ code_id: tickets[0]! });
  await notify();
  const ofAnotherCluster = "9000000000";
  await gate.sql("update public.scans_broadcast set seen = $1", `${ofAnotherCluster}:${ofAnotherCluster}:`);
  await gate.sql("alter table public.entry_codes disable trigger entry_codes_mark_changed");
  await gate.sql("update public.tickets set changed_xid = $1 where id = $2", ofAnotherCluster, tickets[0]);
  await gate.sql("alter table public.entry_codes enable trigger entry_codes_mark_changed");
  expect([await notify(), await notify()]).toEqual([0, 0]);
  await phone.scan({ code_id: tickets[1]! });
  expect([await notify(), await notify()]).toEqual([1, 0]);
});
