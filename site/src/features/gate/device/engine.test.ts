import type { GateFound, GateListRow, GateScan, GateSettings } from "contract/gate";
import { signOldToken } from "contract/tickets/testing/old-token";
import { signTicketToken } from "contract/tickets/ticket-token";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { AccessRemoved, SecondStepNeeded, Unreachable } from "./calls.ts";
import { runEngine } from "./engine.ts";
import {
  ana,
  begin,
  ben,
  codeOf,
  how,
  MAIN,
  memoryStore,
  newCodeOf,
  NOW,
  oldCodeOf,
  openWorld,
  row,
  scanOf,
  server,
  SOUTH,
  world,
} from "./testing/device-in-memory.ts";

openWorld();

it("asks the server, and decides alone once it is cut off", async () => {
  const { engine, stop, net, heard } = await begin();
  expect(await engine.scan(await codeOf(ana), how)).toMatchObject({ alone: false });
  net.up = false;
  expect(await engine.scan(await codeOf(ana), how)).toMatchObject({
    alone: true,
    verdict: { result: "already_in", first: { entrance: "Main", device: "Phone 1" } },
  });
  expect(await engine.scan(await codeOf(ben), how)).toMatchObject({
    alone: true,
    verdict: { result: "admitted", person: { name: "Ben" } },
  });
  expect(engine.snapshot()).toMatchObject({ pending: 2, offlineSince: NOW });
  expect(heard).toHaveLength(1);
  stop();
});

it("admits codes of both forms, however they are typed, with and without a network", async () => {
  for (const isUp of [true, false]) {
    const { engine, stop, net, heard } = await begin();
    net.up = isUp;
    const typed = (await codeOf(ana)).toLowerCase().replaceAll("z", "y");
    for (const [text, codeId] of [
      [typed, ana],
      [await oldCodeOf(ben), ben],
    ] as const) {
      const { alone, verdict } = await engine.scan(text, how);
      expect([alone, verdict.result]).toEqual([!isUp, "admitted"]);
      if (isUp) expect(heard.at(-1)).toMatchObject({ code_id: codeId, issue_number: 1, event: "hcf-2025" });
    }
    stop();
  }
});

it("knows the type of a code that is not in its list", async () => {
  const parking = { id: "0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e2001", name: "Lot", kind: "parking", is_vip: false };
  world.opened.types.push({ ...parking, is_vehicle: true });
  const { engine, stop, net } = await begin();
  net.up = false;
  for (const sign of [signTicketToken, signOldToken])
    expect((await engine.scan(await newCodeOf(parking.id, sign), how)).verdict.result).toBe("wrong_entrance");
  const unknown = await engine.scan(await newCodeOf(crypto.randomUUID()), how);
  expect(unknown.verdict).toMatchObject({ result: "admitted", person: { type: "Ticket", name: "" } });
  stop();
});

it("goes by the festival's code that the list brings, whatever it was when the phone was opened", async () => {
  const net = server();
  const { list } = net.calls;
  const facts = { code: "hcf-2026" } as GateSettings["facts"];
  const { entrances, settings } = world.opened;
  net.calls.list = async (since) => ({
    ...(await list(since)),
    ...{ entrances, settings: { ...settings, facts } },
  });
  const { engine, stop, heard, state } = await begin(memoryStore(), net);
  expect((await engine.scan(await codeOf(ana), how)).verdict).toEqual({
    ...{ result: "unknown", detail: "other_festival" },
  });
  expect((await engine.scan(await codeOf(ana, 1, "hcf-2026"), how)).verdict.result).toBe("admitted");
  expect(heard.at(-1)).toMatchObject({ code_id: ana, event: "hcf-2026" });
  expect(state.saved.opened?.settings.facts).toEqual(facts);
  stop();
});

it("takes the reading of an old code that was signed, where the layouts swap only y and z", async () => {
  const { engine, stop } = await begin();
  const code = await oldCodeOf(ana);
  const swapped = code.replaceAll(/[yz]/gi, (one) => ({ y: "z", z: "y", Y: "Z", Z: "Y" })[one]!);
  expect(await engine.bestReading([swapped, code])).toBe(code);
  expect(await engine.bestReading([code, swapped])).toBe(code);
  expect(await engine.bestReading(["Hello", "Hallo"])).toBe("Hello");
  stop();
});

it("admits a code that is newer than its list, and names nobody, later neither", async () => {
  const first = { at: NOW - 1, entrance: "North", device: "Phone 9" };
  const { engine, stop, net } = await begin(
    memoryStore(),
    server(({ action }) => (action === "in" ? { conflict: true, first } : {})),
  );
  net.up = false;
  const shown = await engine.scan(await codeOf(ana, 2), how);
  expect(shown.verdict).toMatchObject({ result: "admitted", person: { name: "" } });
  expect(engine.snapshot().recent).toMatchObject([{ result: "admitted", name: "" }]);
  expect((await engine.scan(await codeOf(ana), how)).verdict.result).toBe("already_in");
  net.up = true;
  engine.tryNow();
  await expect.poll(() => engine.snapshot().notices).toMatchObject([{ name: "" }]);
  stop();
});

it("marks the admission as undone, offline too, when the answer to undo named no scan", async () => {
  const { engine, stop, net } = await begin();
  await engine.scan(await codeOf(ana), how);
  net.up = false;
  const again = await engine.scan(await codeOf(ana), how);
  expect(again.verdict.first?.id).toBeUndefined();
  await engine.undo({ codeId: ana, undoes: undefined, name: "Ana" }, "Wrong person");
  expect(engine.snapshot().recent.map(({ result }) => result)).toEqual(["already_in", "undone"]);
  stop();
});

it("sends waiting scans in order and with their ids, and shows the conflict that the server reports", async () => {
  const first = { at: NOW - 1, entrance: "North", device: "Phone 9" };
  const net = server(({ code_id }) => (code_id === ben ? { conflict: true, first } : {}));
  const { engine, stop, state, heard } = await begin(memoryStore(), net);
  net.net.up = false;
  const shown = [await engine.scan(await codeOf(ben), how), await engine.scan(await codeOf(ana), how)];
  expect(state.queue.map(({ scan }) => scan.decided)).toEqual(["admitted", "admitted"]);
  net.net.up = true;
  engine.tryNow();
  await expect.poll(() => engine.snapshot().pending).toBe(0);
  expect(heard.map(({ id }) => id)).toEqual(shown.map(({ id }) => id));
  expect(state.queue).toEqual([]);
  expect(engine.snapshot().notices).toMatchObject([{ name: "Ben", answer: { first } }]);
  stop();
});

it("names the entrance of the scan in a notice, not the one the phone is at when it sends it", async () => {
  const south = { ...world.opened.entrances[0]!, id: SOUTH, name: "South" };
  world.opened = { ...world.opened, entrances: [...world.opened.entrances, south] };
  const first = { at: NOW - 1, entrance: "North", device: "Phone 9" };
  const { engine, stop, net } = await begin(
    memoryStore(),
    server(() => ({ conflict: true, first })),
  );
  net.up = false;
  await engine.scan(await codeOf(ben), how);
  world.opened = { ...world.opened, device: { ...world.opened.device, entrance_id: SOUTH } };
  net.up = true;
  engine.tryNow();
  await expect.poll(() => engine.snapshot().pending).toBe(0);
  expect(engine.snapshot()).toMatchObject({
    entrance: { name: "South" },
    notices: [{ here: "Main, Phone 1" }],
  });
  stop();
});

it("keeps a scan that the server could not store", async () => {
  const { engine, stop, net, calls } = await begin();
  net.up = false;
  await engine.scan(await codeOf(ana), how);
  const { scan } = calls;
  calls.scan = async () => ({ now: NOW, results: [] });
  net.up = true;
  engine.tryNow();
  await expect.poll(() => engine.snapshot().offlineSince).toBeUndefined();
  expect(engine.snapshot().pending).toBe(1);
  calls.scan = scan;
  engine.tryNow();
  await expect.poll(() => engine.snapshot().pending).toBe(0);
  stop();
});

it("flags a scan that the server could not record for review, and blocks nothing behind it", async () => {
  const net = server(({ code_id }) =>
    code_id === ana ? { result: "unknown", detail: "not_recorded" } : { result: "admitted" },
  );
  const { engine, stop, state } = await begin(memoryStore(), net);
  net.net.up = false;
  await engine.scan(await codeOf(ana), how);
  await engine.scan(await codeOf(ben), how);
  net.net.up = true;
  engine.tryNow();
  await expect.poll(() => engine.snapshot().pending).toBe(0);
  expect(state.queue).toEqual([]);
  expect(engine.snapshot().notices).toMatchObject([{ name: "Ana", answer: { detail: "not_recorded" } }]);
  expect(state.notices, "kept through a reload").toHaveLength(1);
  engine.seeNotice(engine.snapshot().notices[0]!.id);
  expect(engine.snapshot().notices).toMatchObject([{ seen: true }]);
  stop();
});

describe("an exit, with re-entry on", () => {
  const wentInAt = NOW - 3_600_000;
  const outId = "7d1d2b0e-0000-4000-8000-000000000001";
  const found: GateFound["people"][number] = {
    ...row(ana, "Ana"),
    type: "General",
    is_vip: false,
    includes_parking: false,
    code: ana.slice(0, 8),
    out_id: outId,
    last_in_at: wentInAt,
  };

  beforeEach(() => {
    world.opened = { ...world.opened, settings: { ...world.opened.settings, reentry: true } };
  });

  it("from a search is undone after the network went down, and shows since when they are in", async () => {
    const { engine, stop, net, state } = await begin();
    net.people = [found];
    const [person] = await engine.find("ana", "in");
    expect(person?.out).toEqual({ id: outId, since: wentInAt });
    net.up = false;
    const undo = { codeId: ana, undoes: outId, name: "Ana", since: wentInAt };
    expect(await engine.undo(undo, "Wrong person")).toMatchObject({
      alone: true,
      verdict: { result: "undone" },
    });
    expect(state.queue).toMatchObject([{ scan: { action: "undo", undoes: outId, decided: "undone" } }]);
    expect(await engine.scan(await codeOf(ana), how)).toMatchObject({
      verdict: { result: "already_in", first: { at: wentInAt } },
    });
    stop();
  });

  it("that another phone made stays undone when the page is reloaded without a network", async () => {
    const kept = memoryStore();
    const { engine, stop, net, calls } = await begin(kept);
    net.up = false;
    const undo = { codeId: ana, undoes: outId, name: "Ana", since: wentInAt };
    await engine.undo(undo, "Wrong person");
    stop();
    const reloaded = await begin(kept, { net, calls, heard: [] });
    expect(await reloaded.engine.scan(await codeOf(ana), how)).toMatchObject({
      verdict: { result: "already_in", first: { at: wentInAt } },
    });
    reloaded.stop();
  });

  it("is the last one once re-entry is off, also without a network", async () => {
    const gate = server(({ action }) => (action === "out" ? { result: "let_out" } : {}));
    const { engine, stop, net, calls } = await begin(memoryStore(), gate);
    await engine.scan(await codeOf(ana), how);
    await engine.scan(await codeOf(ana), { by: "camera", action: "out" });
    const settings = { ...world.opened.settings, reentry: false };
    const { list } = calls;
    calls.list = async (since) => ({ ...(await list(since)), entrances: world.opened.entrances, settings });
    engine.tryNow();
    await expect.poll(() => engine.snapshot().opened?.settings.reentry).toBe(false);
    net.up = false;
    expect(await engine.scan(await codeOf(ana), how)).toMatchObject({
      alone: true,
      verdict: { result: "already_in", first: { at: NOW, entrance: "Main", device: "Phone 1" } },
    });
    stop();
  });

  it("that this phone made is offered for undo from its own list", async () => {
    const { engine, stop, net } = await begin();
    net.up = false;
    await engine.scan(await codeOf(ana), how);
    const out = await engine.scan(await codeOf(ana), { by: "camera", action: "out" });
    const [person] = await engine.find("ana", "in");
    expect(person?.out).toEqual({ id: out.id, since: NOW });
    await engine.undo({ codeId: ana, undoes: out.id, name: "Ana", since: NOW }, "Wrong person");
    const [again] = await engine.find("ana", "in");
    expect(again).toMatchObject({ out: undefined, row: { admitted_at: NOW } });
    stop();
  });
});

it("works from stored data when it starts without a network", async () => {
  const kept = memoryStore({ saved: { opened: world.opened, upto: "1" } });
  kept.state.rows = [row(ana, "Ana"), row(ben, "Ben")];
  const net = server();
  net.net.up = false;
  const { engine, stop } = await begin(kept, net);
  expect(await engine.scan(await codeOf(ana), how)).toMatchObject({ verdict: { result: "admitted" } });
  stop();
});

it("forgets names and lists when the device is revoked, and keeps the queue", async () => {
  const { engine, stop, net, state } = await begin();
  net.up = false;
  await engine.scan(await codeOf(ana), how);
  net.up = true;
  net.removed = true;
  engine.tryNow();
  await expect.poll(() => engine.snapshot().phase).toBe("removed");
  expect(engine.snapshot()).toMatchObject({ listed: 0, pending: 1, opened: undefined });
  expect(state).toMatchObject({ rows: [], queue: [{ scan: { code_id: ana } }] });
  expect(await engine.find("ana", "in")).toEqual([]);
  stop();
});

it("sends what a revoked phone holds, which the server takes from an administrator, and stays closed", async () => {
  const kept = memoryStore({
    queue: [
      { seq: 1, scan: scanOf(ana) },
      { seq: 2, scan: { ...scanOf(ben), id: "2" } },
    ],
  });
  const net = server();
  net.calls.open = () => Promise.reject(new AccessRemoved("device_revoked"));
  const { scan } = net.calls;
  net.calls.scan = async (scans, ...rest) => {
    const before = scans.filter(({ id }) => id === "1");
    if (before.length === 0) throw new AccessRemoved("device_revoked");
    return scan(before, ...rest);
  };
  const engine = runEngine(kept.store, net.calls, { deviceNow: () => NOW, hasSession: () => true });
  const stop = engine.start();
  await expect.poll(() => engine.snapshot()).toMatchObject({ phase: "removed", pending: 1 });
  expect(engine.snapshot().removedFor).toBe("device_revoked");
  expect(
    kept.state.queue.map(({ scan }) => scan.id),
    "after it was revoked",
  ).toEqual(["2"]);
  expect(net.heard.map(({ id }) => id)).toEqual(["1"]);
  await expect.poll(() => net.net.waiting).toBe(1);
  stop();
});

it("continues as another device when this one belongs to someone else, and sends the scans it holds", async () => {
  const scan = scanOf(ana);
  const kept = memoryStore({ queue: [{ seq: 1, scan }], saved: { name: "South lane" } });
  const net = server();
  const names: unknown[] = [];
  net.calls.open = async ({ name }) => {
    names.push(name);
    if (kept.state.deviceId === "device") throw new AccessRemoved("unknown_device");
    return world.opened;
  };
  const { engine, stop, heard } = await begin(kept, net);
  await expect.poll(() => engine.snapshot().pending).toBe(0);
  expect(heard).toEqual([scan]);
  expect(names.slice(0, 2), "it keeps its name").toEqual([undefined, "South lane"]);
  stop();
});

it("knows whom it let in even when that is sent while a search is in progress", async () => {
  const net = server();
  const { engine, stop } = await begin(memoryStore(), net);
  const { scan } = net.calls;
  const { promise: looking, resolve: look } = Promise.withResolvers<void>();
  let calls = 0;
  net.calls.scan = async (...args) => {
    if (calls++ === 0) throw new Unreachable("late");
    await looking;
    return scan(...args);
  };
  await engine.scan(await codeOf(ana), how);
  await expect.poll(() => engine.snapshot()).toMatchObject({ pending: 1, offlineSince: undefined });
  const notIn = { type: "General", is_vip: false, includes_parking: false, code: ana.slice(0, 8) };
  net.calls.search = async () => {
    look();
    await expect.poll(() => engine.snapshot().pending).toBe(0);
    return { now: NOW, people: [{ ...row(ana, "Ana"), ...notIn }] };
  };
  expect(await engine.find("ana", "in")).toMatchObject([
    { row: { admitted_at: NOW }, would: { result: "already_in" } },
  ]);
  stop();
});

it("shows the plate that was given, even offline", async () => {
  const { engine, stop, net } = await begin();
  net.up = false;
  expect(await engine.scan(await codeOf(ana), { ...how, plate: "TX SLAB 1" })).toMatchObject({
    alone: true,
    verdict: { result: "admitted", person: { plate: "TX SLAB 1" } },
  });
  stop();
});

it("admits a ticket that was sold after the list was made only once while offline", async () => {
  const { engine, stop, net } = await begin();
  net.up = false;
  const late = await codeOf("3f2b8a1e-4c5d-4e6f-8a9b-0c1d2e3f0000");
  expect(await engine.scan(late, how)).toMatchObject({ verdict: { result: "admitted" } });
  expect(await engine.scan(late, how)).toMatchObject({
    verdict: { result: "already_in", person: { type: "General" } },
  });
  stop();
});

it("calls no server while its stored data cannot be read, and without it numbers new scans after those waiting", async () => {
  const logged = vi.spyOn(console, "error").mockImplementation(() => {});
  const kept = memoryStore({ queue: [{ seq: 7, scan: scanOf(ana) }] });
  kept.store.load = async () => {
    throw new DOMException("", "UnknownError");
  };
  const { calls, heard, net } = server();
  const engine = runEngine(kept.store, calls, { deviceNow: () => NOW, hasSession: () => true });
  const stop = engine.start();
  await expect.poll(() => engine.snapshot().phase).toBe("unreadable");
  engine.tryNow();
  expect(await engine.readAgain()).toBe(false);
  expect(engine.snapshot()).toMatchObject({ phase: "unreadable", opened: undefined });
  engine.beginWithout();
  await expect.poll(() => engine.snapshot().listed).toBe(2);
  net.up = false;
  await engine.scan(await codeOf(ben), how);
  expect(kept.state.queue.map(({ seq }) => seq)).toEqual([7, 8]);
  expect(heard).toEqual([]);
  stop();
  logged.mockRestore();
});

it("refuses a forged code without a call, and reports it", async () => {
  const { engine, stop, heard } = await begin();
  const shown = await engine.scan("not a code at all", how);
  expect(shown).toMatchObject({ alone: true, verdict: { result: "unknown", detail: "malformed" } });
  await expect.poll(() => heard).toMatchObject([{ action: "refused", decided: "unknown", code_id: null }]);
  stop();
});

it("keeps the name that was chosen while the device was being opened", async () => {
  const net = server();
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  net.calls.open = async ({ name }) => {
    if (name === undefined) await released;
    return { ...world.opened, device: { ...world.opened.device, name: name ?? "Device" } };
  };
  const kept = memoryStore();
  const engine = runEngine(kept.store, net.calls, { deviceNow: () => NOW, hasSession: () => true });
  const stop = engine.start();
  await expect.poll(() => engine.snapshot().phase).toBe("opening");
  const chosen = engine.choose("North", MAIN);
  release();
  await chosen;
  await expect.poll(() => engine.snapshot().listed).toBe(2);
  expect(engine.snapshot().opened?.device.name).toBe("North");
  stop();
});

it("keeps the entrance that was chosen while the list was being written", async () => {
  const kept = memoryStore();
  const { putRows } = kept.store;
  let written = () => {};
  kept.store.putRows = async (...list) => {
    await putRows(...list);
    await new Promise<void>((resolve) => (written = resolve));
  };
  const net = server();
  const chosen = world.opened;
  net.calls.open = async ({ entranceId }) =>
    entranceId ? chosen : { ...chosen, device: { ...chosen.device, entrance_id: null } };
  const engine = runEngine(kept.store, net.calls, { deviceNow: () => NOW, hasSession: () => true });
  const stop = engine.start();
  await expect.poll(() => kept.state.rows).toHaveLength(2);
  await engine.choose("Phone 1", MAIN);
  written();
  await expect.poll(() => engine.snapshot().listAt).toBe(NOW);
  expect(engine.snapshot().entrance?.id).toBe(MAIN);
  expect(kept.state.saved.opened?.device.entrance_id).toBe(MAIN);
  stop();
});

it("keeps the entrance that was being saved when a page of the list arrived", async () => {
  const kept = memoryStore();
  const { save } = kept.store;
  const saving = Promise.withResolvers<void>();
  kept.store.save = async (change) => {
    await save(change);
    if (change.opened?.device.entrance_id === MAIN) await saving.promise;
  };
  const net = server();
  const { open, list } = net.calls;
  const nowhere = { ...world.opened, device: { ...world.opened.device, entrance_id: null } };
  net.calls.open = async (named) => (await open(named), named.entranceId ? world.opened : nowhere);
  const page = Promise.withResolvers<void>();
  net.calls.list = async (since) => (await page.promise, list(since));
  const engine = runEngine(kept.store, net.calls, { deviceNow: () => NOW, hasSession: () => true });
  const stop = engine.start();
  await expect.poll(() => engine.snapshot().phase).toBe("choose");
  const chosen = engine.choose("Phone 1", MAIN);
  await expect.poll(() => kept.state.saved.opened?.device.entrance_id).toBe(MAIN);
  page.resolve();
  await expect.poll(() => engine.snapshot().listAt).toBe(NOW);
  net.net.up = false; // before the next page would save it again
  saving.resolve();
  await chosen;
  expect(engine.snapshot().entrance?.id).toBe(MAIN);
  expect(kept.state.saved.opened?.device.entrance_id, "after a reload").toBe(MAIN);
  stop();
});

describe("a scan whose answer is given up after the list brought a change", () => {
  const late = "3f2b8a1e-4c5d-4e6f-8a9b-0c1d2e3f0000";
  const wentInAt = NOW - 3_600_000;

  /** `listed` makes the row that the list brings from the scan that was sent. */
  async function scanLate(id: string, action: "in" | "out", listed: (scan: GateScan) => GateListRow) {
    const { engine, stop, calls, state } = await begin();
    const sent = Promise.withResolvers<GateScan>();
    const answer = Promise.withResolvers<never>();
    calls.scan = ([scan]) => (sent.resolve(scan!), answer.promise);
    const scanning = engine.scan(await codeOf(id), { ...how, action });
    const changed = listed(await sent.promise);
    const { list } = calls;
    calls.list = async (since) => ({ ...(await list(since)), rows: [changed] });
    engine.tryNow();
    await expect.poll(() => state.rows.at(-1)).toEqual(changed);
    answer.reject(new Unreachable("late"));
    const shown = await scanning;
    stop();
    return shown;
  }

  const start = (id: string) => id.slice(0, 8);
  const isIn = { admitted_at: NOW, last_in_at: NOW, entrance_id: MAIN };

  it.each([
    ["in the list", ana],
    ["just sold", late],
  ])("admits somebody by their own admission, with a ticket %s", async (_what, id) => {
    const shown = await scanLate(id, "in", (scan) => ({
      ...row(id, "Ana"),
      ...isIn,
      last_scan: start(scan.id),
    }));
    expect(shown).toMatchObject({ alone: true, verdict: { result: "admitted", person: { name: "Ana" } } });
  });

  it("refuses somebody whom another phone at this entrance had just let in with the same code", async () => {
    const others = () => ({ ...row(ana, "Ana"), ...isIn, admitted_at: NOW - 3000, last_scan: "0ther5ca" });
    expect(await scanLate(ana, "in", others)).toMatchObject({ verdict: { result: "already_in" } });
  });

  it.each([
    ["in the list", ana],
    ["just sold", late],
  ])("lets somebody out by their own exit, with a ticket %s", async (_what, id) => {
    world.opened = { ...world.opened, settings: { ...world.opened.settings, reentry: true } };
    const shown = await scanLate(id, "out", (scan) => ({
      ...row(id, "Ana"),
      last_in_at: wentInAt,
      entrance_id: MAIN,
      last_scan: start(scan.id),
    }));
    expect(shown).toMatchObject({ alone: true, verdict: { result: "let_out" }, since: wentInAt });
  });
});

it("requires the second step of signing in before it opens, and keeps scanning where it was already open", async () => {
  const net = server();
  const { open } = net.calls;
  const refuse = async () => {
    throw new SecondStepNeeded("This requires two-step verification.");
  };
  net.calls.open = refuse;
  const engine = runEngine(memoryStore().store, net.calls, { deviceNow: () => NOW, hasSession: () => true });
  const stop = engine.start();
  await expect.poll(() => engine.snapshot().phase).toBe("second_step");
  expect(engine.snapshot()).toMatchObject({ offlineSince: undefined, refusal: undefined });
  net.calls.open = open;
  engine.tryNow();
  await expect.poll(() => engine.snapshot()).toMatchObject({ phase: "ready", listed: 2 });
  net.calls.list = refuse;
  engine.tryNow();
  await expect.poll(() => engine.snapshot().refusal).toContain("two-step verification");
  expect(engine.snapshot()).toMatchObject({ phase: "ready", listed: 2 });
  stop();
});
