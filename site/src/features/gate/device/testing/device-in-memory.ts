// A device and a server for tests of the engine, both in memory. `openWorld()` at the top of a file.
import type { GateFound, GateList, GateListRow, GateOpened, GateScan, GateScanAnswer } from "contract/gate";
import { signOldToken } from "contract/tickets/testing/old-token";
import { signTicketToken, type TicketKey } from "contract/tickets/ticket-token";
import { afterEach, beforeEach, expect, vi } from "vitest";
import { AccessRemoved, type GateCalls, Unreachable } from "../calls.ts";
import { runEngine } from "../engine.ts";
import type { BookRow } from "../../rules/decide.ts";
import type { Notice, QueuedScan } from "../../rules/waiting-scans.ts";
import type { Saved } from "../database.ts";
import type { GateStore } from "../store.ts";

/** The code of the seeded festival. */
const EVENT = "hcf-2025";

export const NOW = Date.parse("2025-06-27T12:00:00-05:00");
const TYPE = "11111111-2222-4333-8444-555555555555";
export const MAIN = "0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e3001";
export const SOUTH = "0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e3009";
export const ana = "3f2b8a1e-4c5d-4e6f-8a9b-0c1d2e3f4a5b";
export const ben = "3f2b8a1e-4c5d-4e6f-8a9b-0c1d2e3f9999";

/** What the server knows. A test may change how it answers an opening. */
export const world = {} as { key: TicketKey; opened: GateOpened };

/** Call it at the top of a test file. */
export function openWorld(): void {
  beforeEach(async () => {
    vi.stubGlobal("addEventListener", () => {});
    vi.stubGlobal("removeEventListener", () => {});
    const pair = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]);
    world.key = pair.privateKey;
    const jwk = (await crypto.subtle.exportKey("jwk", pair.publicKey)) as {
      kty: string;
      crv: string;
      x: string;
    };
    world.opened = {
      now: NOW,
      device: { id: "device", name: "Phone 1", entrance_id: MAIN, renamed: false },
      entrances: [
        {
          id: MAIN,
          name: "Main",
          admits: "tickets",
          ticket_type_ids: null,
          is_express: false,
          is_open: true,
        },
      ],
      settings: { doors_open_at: null, doors_close_at: null, reentry: false },
      types: [{ id: TYPE, name: "General", kind: "ticket", is_vip: false, is_vehicle: false }],
      keys: [{ id: "key", jwk }],
      role: "gate",
      expires_at: null,
    };
  });

  afterEach(() => vi.unstubAllGlobals());
}

export const row = (id: string, name: string): GateListRow => ({
  id,
  kind: "ticket",
  type_id: TYPE,
  issue_number: 1,
  is_void: false,
  admitted_at: null,
  entrance_id: null,
  name,
  email: "",
  order: "0abc1234",
  plate: null,
  transferred_issue: null,
  last_in_at: null,
  is_included: false,
  last_scan: null,
});

export const codeOf = (ticketId: string, issueNumber = 1, event = EVENT) =>
  signTicketToken({ ticketId, ticketTypeId: TYPE, issueNumber, event }, world.key);

export const oldCodeOf = (ticketId: string) =>
  signOldToken({ ticketId, ticketTypeId: TYPE, issueNumber: 1, event: EVENT }, world.key);

/** Of a ticket that was sold after the list was made. */
export const newCodeOf = (ticketTypeId: string, sign = signTicketToken) =>
  sign({ ticketId: crypto.randomUUID(), ticketTypeId, issueNumber: 1, event: EVENT }, world.key);

/** Let in offline. */
export const scanOf = (code_id: string): GateScan => ({
  id: "1",
  code_id,
  issue_number: 1,
  action: "in",
  at: NOW,
  decided: "admitted",
  by: "camera",
});

/** Keeps everything in memory, and exposes it. */
export function memoryStore(kept: { queue?: QueuedScan[]; saved?: Saved } = {}) {
  const state = {
    deviceId: "device",
    rows: [] as BookRow[],
    queue: kept.queue ?? [],
    saved: kept.saved ?? {},
    notices: [] as Notice[],
  };
  const store: GateStore = {
    deviceId: "device",
    newDevice: () => void (state.deviceId = "another"),
    state: () => "kept",
    load: async () => ({
      rows: state.rows,
      queue: state.queue,
      notices: [],
      saved: state.saved,
      lastSeq: state.queue.at(-1)?.seq ?? 0,
    }),
    goWithout: () => ({ rows: [], queue: [], notices: [], saved: {}, lastSeq: state.queue.at(-1)?.seq ?? 0 }),
    isReadable: async () => true,
    save: async (change) => void (state.saved = { ...state.saved, ...change }),
    enqueue: async (entry) => void (state.queue = [...state.queue, entry]),
    dequeue: async (ids) => void (state.queue = state.queue.filter(({ scan }) => !ids.includes(scan.id))),
    async putRows(rows, change, page) {
      state.rows = [...state.rows, ...rows];
      const opened = state.saved.opened && { ...state.saved.opened, ...page?.listed };
      state.saved = { ...state.saved, ...change, ...(opened && { opened }) };
    },
    putNotices: async (notices) => void state.notices.push(...notices),
    wipe: async () => void Object.assign(state, { rows: [], saved: { userId: state.saved.userId } }),
  };
  return { store, state };
}

/** A server that can be cut off, be slow, or refuse. */
export function server(answer: (scan: GateScan) => Partial<GateScanAnswer> = () => ({ result: "admitted" })) {
  const heard: GateScan[] = [];
  const net = { up: true, removed: false, people: [] as GateFound["people"], waiting: 0 };
  const reach = () => {
    if (!net.up) throw new Unreachable("cut");
    if (net.removed) throw new AccessRemoved("device_revoked");
  };
  const list: GateList = {
    now: NOW,
    upto: "1",
    more: false,
    reset: true,
    rows: [row(ana, "Ana"), row(ben, "Ben")],
  };
  const calls: GateCalls = {
    open: async () => (reach(), world.opened),
    async scan(scans) {
      reach();
      heard.push(...scans);
      return {
        now: NOW,
        results: scans.map((scan) => ({ id: scan.id, result: "admitted", ...answer(scan) })),
      };
    },
    list: async (since) => (reach(), since === undefined ? list : { ...list, reset: false, rows: [] }),
    search: async () => (reach(), { now: NOW, people: net.people }),
    recent: async () => (reach(), { now: NOW, scans: [] }),
    leave: async () => {},
    waiting: async (pending) => void (net.waiting = pending),
  };
  return { calls, heard, net };
}

export async function begin(kept = memoryStore(), net = server()) {
  const engine = runEngine(kept.store, net.calls, { deviceNow: () => NOW, hasSession: () => true });
  const stop = engine.start();
  await expect.poll(() => engine.snapshot().phase).toBe("ready");
  await expect.poll(() => engine.snapshot().listed).toBe(2);
  return { engine, stop, ...kept, ...net };
}

export const how = { by: "camera", action: "in" } as const;
