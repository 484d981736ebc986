// The gate's engine: keeps the lists fresh, decides each scan with the server or without it, and hands in what waits. Nobody
// switches a mode: a call that fails or takes too long means offline, and one that succeeds means online. React reads its
// snapshot and calls its actions; see docs/decisions/041-gate-app.md.
import type { GateAccessRemoved, GateEntrance, GateOpened, GateScan } from "contract/gate";
import { gateLimits } from "contract/gate";
import { SESSION_KEY } from "#lib/api/supabase.ts";
import { readText } from "#lib/browser/stored-json.ts";
import { createClock } from "../rules/clock.ts";
import { type BookRow, type Books, decide, type Verdict } from "../rules/decide.ts";
import { createVerify, readEntryCode, type Verify } from "../rules/entry-code.ts";
import { findPeople } from "../rules/find.ts";
import { AccessRemoved, createCalls, type GateCalls, Refused, Unreachable } from "./calls.ts";
import { type GateStore, type Notice, openStore, type QueuedScan, type StorageState } from "./store.ts";

/** With no answer after this, the device decides alone. */
const ANSWER_WITHIN_MS = 1200;
const BEAT_MS = 3000;
const BEAT_CLOSED_MS = 10_000;
const OPEN_AGAIN_MS = 30_000;
const HANDED_IN_AT_ONCE = 500;
/** A clock further off than this is told. */
export const CLOCK_OFF_MS = 5 * 60_000;

export type ScannedBy = GateScan["by"];

export interface GateSnapshot {
  /** What the person sees: `opening` until the server has been asked for the first time. */
  readonly phase: "starting" | "opening" | "no_role" | "removed" | "choose" | "ready";
  readonly removedFor: GateAccessRemoved | undefined;
  readonly opened: GateOpened | undefined;
  readonly entrance: GateEntrance | undefined;
  /** By the server's clock. */
  readonly offlineSince: number | undefined;
  readonly pending: number;
  readonly listAt: number | undefined;
  readonly listed: number;
  readonly clockOffset: number;
  readonly storage: StorageState;
  readonly notices: readonly Notice[];
  /** Why the server could not be asked, in its own words. */
  readonly trouble: string | undefined;
}

export interface Shown {
  /** The scan's id; of an admission, what an undo is about. */
  readonly id: string;
  readonly codeId: string | undefined;
  readonly verdict: Verdict;
  readonly at: number;
  readonly alone: boolean;
}

export interface FoundPerson {
  readonly row: BookRow;
  readonly type: string;
}

export interface GateEngine {
  snapshot: () => GateSnapshot;
  subscribe: (listener: () => void) => () => void;
  start: () => () => void;
  now: () => number;
  choose: (name: string, entranceId: string) => Promise<void>;
  scan: (text: string, how: { by: ScannedBy; action: "in" | "out"; plate?: string }) => Promise<Shown>;
  /** Of a code: whether it is for parking, before anything is written down. */
  isParking: (text: string) => Promise<boolean>;
  admit: (row: BookRow, action: "in" | "out", plate?: string) => Promise<Shown>;
  undo: (shown: Shown, reason: string) => Promise<Shown>;
  find: (text: string) => Promise<readonly FoundPerson[]>;
  dismissNotice: (id: string) => void;
  /** Asks the server now. */
  tryNow: () => void;
  signedOut: () => Promise<void>;
  leave: () => Promise<void>;
}

export async function createEngine(): Promise<GateEngine> {
  const store = await openStore();
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
  const listeners = new Set<() => void>();
  const rows = new Map<string, BookRow>();
  const parkingOrders = new Set<string>();
  let queue: readonly QueuedScan[] = [];
  let lastSeq = 0;
  let clock = createClock(deviceNow);
  let keys: readonly Verify[] = [];
  let upto: string | undefined;
  /** Codes this device changed, by when it did: a list that was asked for earlier does not know of it. */
  const touched = new Map<string, number>();
  let turn = 0;
  let running = false;
  let openedAt = Number.NEGATIVE_INFINITY;
  let beating: Promise<void> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let snapshot: GateSnapshot = {
    phase: "starting",
    removedFor: undefined,
    opened: undefined,
    entrance: undefined,
    offlineSince: undefined,
    pending: 0,
    listAt: undefined,
    listed: 0,
    clockOffset: 0,
    storage: "kept",
    notices: [],
    trouble: undefined,
  };

  function change(next: Partial<GateSnapshot>) {
    snapshot = {
      ...snapshot,
      ...next,
      pending: queue.length,
      listed: rows.size,
      clockOffset: clock.offset(),
      storage: store.state(),
    };
    for (const listener of listeners) listener();
  }

  const books = (): Books => ({
    row: (id) => rows.get(id),
    hasParking: (order) => parkingOrders.has(order),
    types: snapshot.opened?.types ?? [],
    entrances: snapshot.opened?.entrances ?? [],
    entranceId: snapshot.opened?.device.entrance_id ?? null,
    settings: snapshot.opened?.settings ?? { doors_open_at: null, doors_close_at: null, reentry: false },
  });

  // ── Online and offline ──────────────────────────────────────────────────────────────────────────────────────────

  function reached() {
    if (snapshot.offlineSince !== undefined || snapshot.trouble !== undefined) {
      void store.save({ offlineSince: undefined });
      change({ offlineSince: undefined, trouble: undefined });
    }
  }

  function lost(error: unknown) {
    if (snapshot.offlineSince !== undefined) return;
    const offlineSince = clock.now();
    void store.save({ offlineSince });
    change({ offlineSince, trouble: error instanceof Refused ? error.message : undefined });
  }

  async function heard<Answer extends { now: number }>(asking: () => Promise<Answer>): Promise<Answer> {
    const sentAt = deviceNow();
    const answer = await asking();
    clock.learn(answer.now, sentAt);
    return answer;
  }

  async function removed(why: GateAccessRemoved) {
    const first = snapshot.opened === undefined && snapshot.phase !== "removed";
    rows.clear();
    parkingOrders.clear();
    upto = undefined;
    keys = [];
    await store.wipe();
    change({
      phase: first && why === "role_removed" ? "no_role" : "removed",
      removedFor: why,
      opened: undefined,
      entrance: undefined,
      notices: [],
      listAt: undefined,
      offlineSince: undefined,
      trouble: undefined,
    });
  }

  // ── The beat: open, hand in, fetch what changed ────────────────────────────────────────────────────────────────────

  async function open(choice: { name?: string; entranceId?: string } = {}) {
    const ask = () => heard(() => calls.open({ ...choice, pending: queue.length }));
    const opened = await ask().catch((error: unknown) => {
      if (!(error instanceof AccessRemoved) || error.why !== "unknown_device") throw error;
      store.newDevice(); // whoever used this phone before has not signed out
      return ask();
    });
    openedAt = performance.now();
    await useOpened(opened);
    await store.save({ opened, clockOffset: clock.offset() });
  }

  async function useOpened(opened: GateOpened) {
    // The newest key first: most codes are signed with it.
    keys = await Promise.all(opened.keys.toReversed().map(({ jwk }) => createVerify(jwk)));
    const entrance = opened.entrances.find(({ id }) => id === opened.device.entrance_id);
    change({ opened, entrance, removedFor: undefined, phase: entrance ? "ready" : "choose" });
  }

  async function handIn() {
    while (queue.length > 0) {
      const sent = queue.slice(0, HANDED_IN_AT_ONCE);
      const { results } = await heard(() =>
        calls.scan(
          sent.map(({ scan }) => scan),
          queue.length - sent.length,
          deviceNow(),
          20_000,
        ),
      );
      const answers = new Map(results.map((answer) => [answer.id, answer]));
      const done = sent.filter(({ scan }) => answers.has(scan.id));
      const notices = done.flatMap(({ scan }): Notice[] => {
        const { first, despite, conflict } = answers.get(scan.id)!;
        if (!conflict && !despite) return [];
        const codeId = scan.code_id ?? "";
        return [
          {
            id: scan.id,
            code: codeId.slice(-6),
            name: rows.get(codeId)?.name ?? "",
            at: scan.at,
            here: `${snapshot.entrance?.name ?? ""}, ${snapshot.opened?.device.name ?? ""}`,
            answer: { first, despite, conflict },
          },
        ];
      });
      await store.putNotices(notices);
      await store.dequeue(done.map(({ seq }) => seq));
      const handedIn = new Set(done.map(({ seq }) => seq));
      queue = queue.filter(({ seq }) => !handedIn.has(seq));
      change({ notices: [...notices, ...snapshot.notices] });
      if (done.length === 0) return; // the server could not write them down: with the next beat again
    }
  }

  async function fetchList() {
    for (let more = true; more;) {
      const asked = ++turn;
      const page = await heard(() => calls.list(upto));
      if (page.reset) {
        rows.clear();
        parkingOrders.clear();
      }
      const fresh = page.rows.map((row) => newer(row, asked));
      for (const row of fresh) keepRow(row);
      ({ upto, more } = page);
      const listAt = clock.now();
      await store.putRows(fresh, { upto, listAt, clockOffset: clock.offset() }, page.reset);
      change({ listAt });
    }
  }

  /** A row of the server, unless this device has changed it since that list was asked for. */
  function newer(row: BookRow, asked: number): BookRow {
    const own = rows.get(row.id);
    const waits = queue.some(({ scan }) => scan.code_id === row.id && scan.action !== "refused");
    if (own && (waits || (touched.get(row.id) ?? 0) > asked)) {
      return {
        ...row,
        admitted_at: own.admitted_at,
        entrance_id: own.entrance_id,
        device: own.device ?? null,
      };
    }
    touched.delete(row.id);
    return row;
  }

  function keepRow(row: BookRow) {
    rows.set(row.id, row);
    if (row.kind === "parking" && !row.is_void) parkingOrders.add(row.order);
  }

  async function beat() {
    if (!hasSession()) return;
    try {
      const due = performance.now() - openedAt > OPEN_AGAIN_MS;
      if (due || snapshot.offlineSince !== undefined || !snapshot.opened) await open();
      reached();
      await handIn();
      await fetchList();
      reached();
    } catch (error) {
      if (error instanceof AccessRemoved && error.why === "unknown_device")
        openedAt = Number.NEGATIVE_INFINITY;
      else if (error instanceof AccessRemoved) await removed(error.why);
      else lost(error);
    }
  }

  /** One at a time; a call while it runs waits for that one. */
  function beatNow(): Promise<void> {
    clearTimeout(timer);
    beating ??= beat().finally(() => {
      beating = undefined;
      const isClosed = snapshot.phase === "removed" || snapshot.phase === "no_role";
      const pause = isClosed ? BEAT_CLOSED_MS : BEAT_MS;
      clearTimeout(timer);
      if (running) timer = setTimeout(() => void beatNow(), pause * (0.8 + Math.random() * 0.4));
    });
    return beating;
  }

  const onNetwork = () => void beatNow();

  // ── Scans ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  function makeScan(
    rest: Pick<GateScan, "code_id" | "issue_number" | "action" | "by">,
    plate?: string,
  ): GateScan {
    const entrance_id = snapshot.opened?.device.entrance_id;
    return {
      id: crypto.randomUUID(),
      at: clock.now(),
      decided: null,
      ...rest,
      ...(plate ? { plate } : {}),
      ...(entrance_id ? { entrance_id } : {}),
    };
  }

  /** The server's answer, or undefined when there is none in time. A code whose scans wait here is not asked about. */
  async function answerOf(scan: GateScan): Promise<Verdict | undefined> {
    if (snapshot.offlineSince !== undefined || snapshot.phase !== "ready") return undefined;
    if (queue.some((waiting) => waiting.scan.code_id === scan.code_id)) return undefined;
    try {
      const { results } = await heard(() => calls.scan([scan], queue.length, deviceNow(), ANSWER_WITHIN_MS));
      return results.find(({ id }) => id === scan.id);
    } catch (error) {
      if (error instanceof AccessRemoved && error.why !== "unknown_device") await removed(error.why);
      else lost(error);
      void beatNow();
      return undefined;
    }
  }

  async function enqueue(scan: GateScan) {
    const entry = { seq: ++lastSeq, scan };
    queue = [...queue, entry];
    await store.enqueue(entry);
    change({});
    if (snapshot.offlineSince === undefined) void beatNow();
  }

  function mark(codeId: string, verdict: Verdict, at: number) {
    const row = rows.get(codeId);
    if (!row) return;
    const { result } = verdict;
    const entrance_id = snapshot.opened?.device.entrance_id ?? null;
    const device = snapshot.opened?.device.name ?? null;
    const state =
      result === "admitted"
        ? { admitted_at: verdict.first?.at ?? at, entrance_id, device }
        : result === "let_out" || result === "undone"
          ? { admitted_at: null, entrance_id: null, device: null }
          : undefined;
    if (!state) return;
    touched.set(codeId, ++turn);
    const next = { ...row, ...state };
    rows.set(codeId, next);
    void store.putRows([next], {}, false);
  }

  async function settle(scan: GateScan, alone: () => Verdict): Promise<Shown> {
    const codeId = scan.code_id!;
    const answer = await answerOf(scan);
    if (snapshot.phase === "removed") throw new AccessRemoved(snapshot.removedFor ?? "role_removed");
    const verdict = answer ?? alone();
    mark(codeId, verdict, scan.at);
    if (!answer) {
      const { result } = verdict;
      const acted = result === "admitted" || result === "let_out" || result === "undone";
      await enqueue({ ...scan, action: acted ? scan.action : "refused", decided: result });
    }
    return { id: scan.id, codeId, verdict, at: scan.at, alone: !answer };
  }

  return {
    snapshot: () => snapshot,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start() {
      running = true;
      addEventListener("online", onNetwork);
      void store.load().then(async ({ rows: kept, queue: waiting, notices, saved }) => {
        if (!running) return;
        for (const row of kept) keepRow(row);
        queue = waiting;
        lastSeq = waiting.at(-1)?.seq ?? 0;
        clock = createClock(deviceNow, saved.clockOffset);
        ({ upto } = saved);
        change({ phase: "opening", notices, listAt: saved.listAt, offlineSince: saved.offlineSince });
        if (saved.opened) await useOpened(saved.opened);
        await beatNow();
      });
      return () => {
        running = false;
        clearTimeout(timer);
        removeEventListener("online", onNetwork);
      };
    },
    now: () => clock.now(),
    async choose(name, entranceId) {
      await open({ name: name.slice(0, gateLimits.deviceName), entranceId });
      reached();
      void beatNow();
    },
    async isParking(text) {
      const code = await readEntryCode(text, keys);
      if ("flaw" in code) return false;
      const { ticketId, ticketTypeId } = code.claims;
      const kind = rows.get(ticketId)?.kind ?? books().types.find(({ id }) => id === ticketTypeId)?.kind;
      return kind === "parking";
    },
    async scan(text, { by, action, plate }) {
      const from = performance.now();
      const code = await readEntryCode(text, keys);
      performance.measure("gate: verify", { start: from }); // npm run bench, P11
      if ("flaw" in code) {
        const scan = makeScan({ code_id: null, issue_number: null, action: "refused", by });
        await enqueue({ ...scan, decided: "unknown", reason: code.flaw });
        const verdict: Verdict = { result: "unknown", detail: code.flaw };
        return { id: scan.id, codeId: undefined, verdict, at: scan.at, alone: true };
      }
      const { ticketId: codeId, ticketTypeId: typeId, issueNumber } = code.claims;
      const scan = makeScan({ code_id: codeId, issue_number: issueNumber, action, by }, plate);
      return settle(scan, () => decide({ action, codeId, issueNumber, typeId }, books(), clock.now()));
    },
    admit(row, action, plate) {
      const scan = makeScan({ code_id: row.id, issue_number: null, action, by: "search" }, plate);
      if (!rows.has(row.id)) keepRow(row);
      const look = { action, codeId: row.id, issueNumber: null, typeId: row.type_id };
      return settle(scan, () => decide(look, books(), clock.now()));
    },
    undo(shown, reason) {
      const made = makeScan({
        code_id: shown.codeId ?? null,
        issue_number: null,
        action: "undo",
        by: "search",
      });
      const scan = { ...made, reason: reason.trim().slice(0, gateLimits.undoReason) };
      return settle(scan, () => ({ ...shown.verdict, result: "undone" }));
    },
    async find(text) {
      const typeName = (id: string) => snapshot.opened?.types.find((type) => type.id === id)?.name ?? "";
      if (snapshot.offlineSince === undefined) {
        try {
          const { people } = await heard(() => calls.search(text));
          return people.map(({ type, code: _code, is_vip: _vip, includes_parking: _parking, ...person }) => ({
            row: person,
            type,
          }));
        } catch (error) {
          if (error instanceof AccessRemoved && error.why !== "unknown_device") await removed(error.why);
          else if (error instanceof Unreachable) lost(error);
          void beatNow();
        }
      }
      return findPeople(rows.values(), text).map((row) => ({ row, type: typeName(row.type_id) }));
    },
    dismissNotice(id) {
      void store.dropNotice(id);
      change({ notices: snapshot.notices.filter((notice) => notice.id !== id) });
    },
    tryNow: () => void beatNow(),
    async signedOut() {
      if (!snapshot.opened) return;
      rows.clear();
      parkingOrders.clear();
      upto = undefined;
      keys = [];
      openedAt = Number.NEGATIVE_INFINITY;
      await store.wipe();
      change({ phase: "opening", opened: undefined, entrance: undefined, notices: [], listAt: undefined });
    },
    async leave() {
      await calls.leave().catch(() => {});
    },
  };
}
