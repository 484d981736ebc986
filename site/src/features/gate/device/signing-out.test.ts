// What is under way while a user signs out belongs to them, and is dropped.
import { expect, it } from "vitest";
import { AccessRemoved, type GateCalls, Unreachable } from "./calls.ts";
import { runEngine } from "./engine.ts";
import {
  ana,
  begin,
  codeOf,
  how,
  MAIN,
  memoryStore,
  NOW,
  openWorld,
  server,
} from "./testing/device-in-memory.ts";
import type { GateStore } from "./store.ts";

openWorld();

type Calls = Record<string, (...args: unknown[]) => Promise<unknown>>;
/** Holds the next call until it is released, and says when it was made. */
function held(of: GateCalls | GateStore, name: string) {
  const calls = of as unknown as Calls;
  const made = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const original = calls[name]!;
  calls[name] = async (...args) => {
    calls[name] = original;
    made.resolve();
    await released.promise;
    return original(...args);
  };
  return { made: made.promise, release: () => released.resolve() };
}
const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

it.each(["before the names are wiped", "after the next user opened the phone"])(
  "drops a page of the list that arrives %s",
  async (when) => {
    const { engine, stop, calls, state, store } = await begin();
    const page = held(calls, "list");
    engine.tryNow();
    await page.made;
    const wipe = held(store, "wipe");
    const out = engine.signedOut();
    await wipe.made;
    if (when.startsWith("before")) {
      page.release();
      await settled();
      wipe.release();
      await out;
    } else {
      wipe.release();
      await out;
      await engine.choose("Phone 1", MAIN);
      page.release();
    }
    await settled();
    engine.tryNow();
    await expect.poll(() => engine.snapshot().listed).toBe(2); // the whole list
    expect(state.rows).toHaveLength(2);
    stop();
  },
);

it("lets a scan decide nothing from the list that is gone", async () => {
  const { engine, stop, calls, state } = await begin();
  const scan = held(calls, "scan");
  const scanning = engine.scan(await codeOf(ana), how).catch((error: unknown) => error);
  await scan.made;
  await engine.signedOut();
  calls.scan = () => Promise.reject(new Unreachable("late"));
  scan.release();
  expect(await scanning).toMatchObject({ why: "session_ended" });
  expect(state).toMatchObject({ queue: [], saved: {} });
  expect(state.saved.recent).toBeUndefined();
  stop();
});

it.each(["first", "later"])("does not open the phone again by its %s opening", async (which) => {
  const kept = memoryStore();
  const net = server();
  const first = which === "first" ? held(net.calls, "open") : undefined;
  let isIn = true;
  const engine = runEngine(kept.store, net.calls, { deviceNow: () => NOW, hasSession: () => isIn });
  const stop = engine.start();
  if (!first) await expect.poll(() => engine.snapshot().listed).toBe(2);
  const opening = first ?? held(net.calls, "open");
  const chosen = first ? undefined : engine.choose("Phone 1", MAIN);
  await opening.made;
  isIn = false;
  await engine.signedOut();
  opening.release();
  await chosen;
  await settled();
  expect(engine.snapshot()).toMatchObject({ phase: "opening", opened: undefined });
  expect(kept.state.saved.opened).toBeUndefined();
  stop();
});

it.each(["list", "open", "scan"])(
  "opens for the next user although a call of the former one hangs: %s",
  async (name) => {
    const { engine, stop, calls, net } = await begin();
    net.up = false;
    await engine.scan(await codeOf(ana), how); // waits to be handed in
    net.up = true;
    const hanging = held(calls, name);
    const asked = name === "open" ? engine.choose("Phone 1", MAIN) : engine.tryNow();
    await hanging.made;
    await engine.signedOut();
    engine.tryNow();
    await expect.poll(() => engine.snapshot()).toMatchObject({ phase: "ready", listed: 2, pending: 0 });
    hanging.release();
    await asked;
    await settled();
    expect(engine.snapshot()).toMatchObject({ phase: "ready", listed: 2, pending: 0 });
    stop();
  },
);

it.each(["removed", "no_role"])(
  "tells the next user nothing about the last one's access: %s",
  async (phase) => {
    const net = server();
    const { open } = net.calls;
    const refuse = () => Promise.reject(new AccessRemoved("role_removed"));
    if (phase === "no_role") net.calls.open = refuse;
    const kept = memoryStore();
    const engine = runEngine(kept.store, net.calls, { deviceNow: () => NOW, hasSession: () => true });
    const stop = engine.start();
    if (phase === "removed") {
      await expect.poll(() => engine.snapshot().listed).toBe(2);
      net.calls.list = refuse;
      engine.tryNow();
    }
    await expect.poll(() => engine.snapshot().phase).toBe(phase);
    net.calls.open = open;
    await engine.signedOut();
    expect(engine.snapshot()).toMatchObject({ phase: "opening", removedFor: undefined });
    stop();
  },
);

it("gives the phone no other identity for a user who is gone", async () => {
  const { engine, stop, calls, state } = await begin();
  calls.open = () => Promise.reject(new AccessRemoved("unknown_device"));
  const opening = held(calls, "open");
  const chosen = engine.choose("Phone 1", MAIN).catch(() => {});
  await opening.made;
  await engine.signedOut();
  opening.release();
  await chosen;
  expect(state.deviceId).toBe("device");
  stop();
});

it("keeps no notice of a scan whose answer comes after its user has gone", async () => {
  const first = { at: NOW - 1, entrance: "North", device: "Phone 9" };
  const net = server(() => ({ conflict: true, first }));
  const { engine, stop, calls, state } = await begin(memoryStore(), net);
  net.net.up = false;
  await engine.scan(await codeOf(ana), how);
  net.net.up = true;
  const handIn = held(calls, "scan");
  engine.tryNow();
  await handIn.made;
  await engine.signedOut();
  handIn.release();
  await expect.poll(() => engine.snapshot().pending).toBe(0);
  expect(engine.snapshot().notices).toEqual([]);
  expect(state).toMatchObject({ queue: [], notices: [] });
  stop();
});

it.each(["of a ticket", "that is no code"])(
  "lists no scan %s that was being kept when its user left",
  async (what) => {
    const { engine, stop, net, state, store } = await begin();
    net.up = false;
    const keeping = held(store, "enqueue");
    const scanning = engine.scan(what === "of a ticket" ? await codeOf(ana) : "no code at all", how);
    await keeping.made;
    await engine.signedOut();
    keeping.release();
    await scanning;
    expect(engine.snapshot()).toMatchObject({ recent: [], pending: 1 });
    expect(state.saved.recent).toBeUndefined();
    stop();
  },
);

it("calls the server no more once it has put the phone away", async () => {
  const { engine, stop, calls } = await begin();
  const made: string[] = [];
  const all = calls as unknown as Calls;
  for (const name of ["open", "list", "leave"]) {
    const original = all[name]!;
    all[name] = (...args) => (made.push(name), original(...args));
  }
  const opening = held(calls, "open");
  const chosen = engine.choose("Phone 1", MAIN);
  await opening.made;
  const left = engine.leave();
  await settled();
  expect(made).toEqual([]);
  opening.release();
  await Promise.all([chosen, left]);
  engine.tryNow();
  await settled();
  expect(made.slice(made.indexOf("leave"))).toEqual(["leave"]);
  stop();
});

it("goes on as before when its user's own invitation is used again, and knows them from the next user", async () => {
  const { engine, stop, calls } = await begin();
  await engine.signedIn("ines");
  await engine.scan(await codeOf(ana), how);
  const opening = held(calls, "open");
  await engine.handOver(async () => "ines");
  expect(engine.snapshot()).toMatchObject({ phase: "ready", listed: 2, recent: [{ name: "Ana" }] });
  await opening.made; // at once, since the device was signed out of the gate
  opening.release();
  await engine.signedIn("nora");
  expect(engine.snapshot().recent).toEqual([]);
  stop();
});

it.each([
  { next: "the same user", id: "ines", recent: ["Ana"] },
  { next: "another one", id: "nora", recent: [] },
])("shows $next after a reload what is theirs, and hands in every scan", async ({ id, recent }) => {
  const kept = memoryStore();
  const net = server();
  const first = await begin(kept, net);
  await first.engine.signedIn("ines");
  net.net.up = false;
  await first.engine.scan(await codeOf(ana), how);
  first.stop();
  const later = runEngine(kept.store, net.calls, { deviceNow: () => NOW, hasSession: () => true });
  const stop = later.start();
  await expect.poll(() => later.snapshot().phase).toBe("ready");
  await later.signedIn(id);
  expect(later.snapshot().recent.map(({ name }) => name)).toEqual(recent);
  expect(later.snapshot().pending).toBe(1);
  net.net.up = true;
  later.tryNow();
  await expect.poll(() => later.snapshot()).toMatchObject({ phase: "ready", listed: 2, pending: 0 });
  stop();
});

it("knows after a reload whose it is, although access was removed and given back meanwhile", async () => {
  const kept = memoryStore();
  const net = server();
  const { engine, stop } = await begin(kept, net);
  await engine.signedIn("ines");
  net.net.removed = true;
  engine.tryNow();
  await expect.poll(() => engine.snapshot().phase).toBe("removed");
  net.net.removed = false;
  engine.tryNow();
  await expect.poll(() => engine.snapshot()).toMatchObject({ phase: "ready", listed: 2 });
  await engine.scan(await codeOf(ana), how);
  stop();
  const { engine: later, stop: stopLater } = await begin(kept, net);
  await later.signedIn("nora");
  expect(later.snapshot().recent).toEqual([]);
  stopLater();
});
