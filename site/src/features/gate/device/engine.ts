// The gate's engine: keeps the lists fresh, decides each scan with the server or without it, and sends waiting scans. No one
// switches a mode: a call that fails or takes too long means offline, and one that succeeds means online. React reads its
// snapshot and calls its actions; see docs/decisions/041-gate-app.md.
import { gateLimits, type GatePerson, type GateRecent } from "contract/gate";
import { SESSION_KEY } from "#lib/api/supabase.ts";
import { readText } from "#lib/browser/stored-json.ts";
import type { BookRow } from "../rules/decide.ts";
import type { Readings } from "../rules/keyboard-code.ts";
import { createBeats, open } from "./beat.ts";
import { begin, beginWithout } from "./begin.ts";
import { createCalls, type GateCalls } from "./calls.ts";
import { change, createGateDevice } from "./gate-device.ts";
import { recentOfOthers } from "./recent.ts";
import {
  admitRow,
  bestReading,
  type HowScanned,
  isVehicle,
  scanCode,
  undoScan,
  vehicleToAdmit,
} from "./scans.ts";
import { searchPeople } from "./search.ts";
import { reached } from "./session.ts";
import type { FoundPerson, GateSnapshot, Shown, Undoable } from "./snapshot.ts";
import { createStore, type GateStore } from "./store.ts";
import { createUsers, type Users } from "./users.ts";

export interface GateEngine extends Users {
  snapshot: () => GateSnapshot;
  subscribe: (listener: () => void) => () => void;
  start: () => () => void;
  /** False: the device's stored data cannot be read yet. */
  readAgain: () => Promise<boolean>;
  /** Starts without the unreadable data. */
  beginWithout: () => void;
  /** Whether a reloaded page could read the skipped data. */
  isReadable: () => Promise<boolean>;
  now: () => number;
  /** Without an entrance it keeps the current one, or its invitation's. */
  choose: (name: string, entranceId?: string) => Promise<void>;
  bestReading: (readings: Readings) => Promise<string>;
  scan: (text: string, how: HowScanned) => Promise<Shown>;
  /** The vehicle that the list would admit for this code, before anything is recorded. */
  vehicleToAdmit: (text: string) => Promise<GatePerson | undefined>;
  isVehicle: (row: BookRow) => boolean;
  admit: (row: BookRow, action: "in" | "out", plate?: string) => Promise<Shown>;
  /** Before the device is opened: the first call to the server sends the name. */
  nameDevice: (name: string) => void;
  undo: (what: Undoable, reason: string) => Promise<Shown>;
  find: (text: string, action: "in" | "out") => Promise<readonly FoundPerson[]>;
  /** Today's entries and exits by other devices at this entrance; undefined without a network. */
  recentOfOthers: () => Promise<GateRecent["scans"] | undefined>;
  seeNotice: (id: string) => void;
  /** Calls the server now. */
  tryNow: () => void;
}

export function createEngine(): GateEngine {
  const store = createStore();
  return runEngine(store, createCalls(store));
}

export function runEngine(
  store: GateStore,
  calls: GateCalls,
  {
    deviceNow = Date.now,
    hasSession = () => readText("local", SESSION_KEY) !== undefined,
  }: { deviceNow?: () => number; hasSession?: () => boolean } = {},
): GateEngine {
  const device = createGateDevice(store, calls, deviceNow);
  const beats = createBeats(device, hasSession);
  device.beatNow = beats.now;
  return {
    snapshot: () => device.snapshot,
    subscribe(listener) {
      device.listeners.add(listener);
      return () => device.listeners.delete(listener);
    },
    start() {
      beats.start();
      void begin(device);
      return beats.stop;
    },
    readAgain: () => begin(device),
    beginWithout: () => beginWithout(device),
    isReadable: store.isReadable,
    now: () => device.clock.now(),
    async choose(name, entranceId) {
      const { session } = device;
      const choice = { name: name.slice(0, gateLimits.deviceName), ...(entranceId && { entranceId }) };
      await open(session, choice).catch((error: unknown) => {
        if (!session.signal.aborted) throw error; // nobody is there to read it
      });
      reached(session);
      void beats.now();
    },
    vehicleToAdmit: (text) => vehicleToAdmit(device.session, text),
    isVehicle: ({ type_id }) => isVehicle(device.session, type_id),
    bestReading: (readings) => bestReading(device.session, readings),
    scan: (text, how) => scanCode(device.session, text, how),
    admit: (row, action, plate) => admitRow(device.session, row, action, plate),
    nameDevice: (name) => void (device.givenName = name.slice(0, gateLimits.deviceName)),
    undo: (what, reason) => undoScan(device.session, what, reason),
    find: (text, action) => searchPeople(device.session, text, action),
    recentOfOthers: () => recentOfOthers(device.session),
    seeNotice(id) {
      const notices = device.snapshot.notices.map((one) => (one.id === id ? { ...one, seen: true } : one));
      void store.putNotices(notices.filter((notice) => notice.id === id));
      change(device, { notices });
    },
    tryNow: () => void beats.now(),
    ...createUsers(device, beats, hasSession),
  };
}
