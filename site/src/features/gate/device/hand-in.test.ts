// Hundreds of scans over a network and a server that fail in every way: nothing is lost, and nothing counts
// twice.
import type { GateScan } from "contract/gate";
import { expect, it } from "vitest";
import type { QueuedScan } from "../rules/waiting-scans.ts";
import { type GateCalls, Refused, Unreachable } from "./calls.ts";
import { createGateDevice, endSession } from "./gate-device.ts";
import { handIn } from "./hand-in.ts";
import type { GateStore } from "./store.ts";

const COUNT = 640;

/** A device that holds scans of that many codes, and a server that stores each id once. */
function phone(answer: (scans: readonly GateScan[], calls: number) => readonly GateScan[]) {
  const kept = new Map<string, QueuedScan>();
  for (let seq = 1; seq <= COUNT; seq++) {
    const scan = { id: `scan ${seq}`, code_id: `code ${seq}`, action: "in", at: seq } as GateScan;
    kept.set(scan.id, { seq, scan });
  }
  const written: string[] = [];
  const pendings: number[] = [];
  let calls = 0;
  const store = {
    state: () => "kept",
    putNotices: async () => {},
    async dequeue(ids: readonly string[]) {
      for (const id of ids) kept.delete(id);
    },
  } as Partial<GateStore> as GateStore;
  const device = createGateDevice(
    store,
    {
      async scan(scans: readonly GateScan[]) {
        const taken = answer(scans, ++calls);
        for (const { id } of taken) if (!written.includes(id)) written.push(id);
        return { now: 0, results: taken.map(({ id }) => ({ id, result: "admitted" as const })) };
      },
    } as Partial<GateCalls> as GateCalls,
    () => 0,
  );
  device.queue.load([...kept.values()], COUNT);
  device.listeners.add(() => pendings.push(device.snapshot.pending));
  return { device, kept, written, pendings };
}

const all = Array.from({ length: COUNT }, (_, index) => `scan ${index + 1}`);

it("shows how many are left after each page", async () => {
  const { device, kept, written, pendings } = phone((scans) => scans);
  await handIn(device.session);
  expect(written).toEqual(all);
  expect(kept.size).toBe(0);
  expect(pendings).toEqual([540, 340, 0]);
});

it("sends the scans behind hundreds that the server cannot store, and keeps those", async () => {
  const isBad = ({ id }: GateScan) => Number(id.slice(5)) <= 600;
  const { device, kept, written } = phone((scans) => scans.filter((scan) => !isBad(scan)));
  await handIn(device.session);
  expect(written).toEqual(all.slice(600));
  expect([...kept.keys()]).toEqual(all.slice(0, 600));
});

it("continues where a server that returns 5xx left off", async () => {
  const { device, kept, written } = phone((scans, call) => {
    if (call % 2 === 0) throw new Unreachable("503");
    return scans;
  });
  for (let beat = 0; kept.size > 0 && beat < 50; beat++) await handIn(device.session).catch(() => {});
  expect(written).toEqual(all);
});

it("counts a page once when its response was cut off", async () => {
  const written: string[] = [];
  let cuts = 3;
  const { device, kept } = phone((scans) => {
    for (const { id } of scans) if (!written.includes(id)) written.push(id);
    if (cuts-- > 0) throw new Unreachable("cut");
    return scans;
  });
  for (let beat = 0; kept.size > 0 && beat < 50; beat++) await handIn(device.session).catch(() => {});
  expect(written).toEqual(all);
});

it("sends nothing more for a user who has gone", async () => {
  const { device, kept } = phone((scans) => {
    endSession(device);
    return scans;
  });
  await handIn(device.session);
  expect(kept.size, "the first page was answered").toBe(COUNT - 100);
});

it("gets through a network that carries only a few at once", async () => {
  const { device, kept, written } = phone((scans) => {
    if (scans.length > 30) throw new Unreachable("took longer than 20000 ms");
    return scans;
  });
  for (let beat = 0; kept.size > 0 && beat < 100; beat++) await handIn(device.session).catch(() => {});
  expect(written).toEqual(all);
});

it("keeps everything when the server refuses the call itself", async () => {
  const { device, kept } = phone(() => {
    throw new Refused("no such function");
  });
  await expect(handIn(device.session)).rejects.toThrow("no such function");
  expect(kept.size).toBe(COUNT);
  expect(device.queue.size()).toBe(COUNT);
});
