// What the engine shows to the screens.
import type { GateAccessRemoved, GateEntrance, GateOpened, GateScan } from "contract/gate";
import type { BookRow, Verdict } from "../rules/decide.ts";
import type { Notice } from "../rules/hand-in.ts";

/** A clock further off than this is shown. */
export const CLOCK_OFF_MS = 5 * 60_000;

/**
 * Kept: everything. Full, failing: the queue is in local storage or memory. Unread: the same, beside what the phone kept before
 * and cannot read. None: this browser keeps nothing.
 */
export type StorageState = "kept" | "full" | "failing" | "unread" | "none";

export type ScannedBy = GateScan["by"];

export interface GateSnapshot {
  /** What the person sees: `opening` until the server has been asked for the first time. `second_step`: it asks for that first. */
  readonly phase:
    | "starting"
    | "unreadable"
    | "opening"
    | "second_step"
    | "no_role"
    | "removed"
    | "choose"
    | "ready";
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
  /** Newest first. */
  readonly recent: readonly RecentScan[];
  /** Why the server could not be asked, in its own words. */
  readonly trouble: string | undefined;
}

export const firstSnapshot: GateSnapshot = {
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
  recent: [],
  trouble: undefined,
};

/** Whether what the phone kept has been read, or left aside. */
export const hasBegun = ({ phase }: GateSnapshot): boolean => phase !== "starting" && phase !== "unreadable";

export interface Shown {
  /** The scan's id; of an admission, what an undo is about. */
  readonly id: string;
  readonly codeId: string | undefined;
  readonly verdict: Verdict;
  readonly at: number;
  readonly alone: boolean;
  /** Of a way out: since when they had been in. */
  readonly since?: number;
}

/** A way in, or out, that can be taken back. */
export interface Undoable {
  readonly codeId: string;
  /** The scan's id; undefined: the admission that stands. */
  readonly undoes: string | undefined;
  readonly name: string;
  readonly person?: Verdict["person"];
  /** Of a way out: since when they had been in. */
  readonly since?: number;
}

/** A scan of this phone, kept to be looked at and undone. */
export interface RecentScan {
  readonly id: string;
  readonly codeId: string | undefined;
  readonly name: string;
  readonly type: string;
  readonly result: Verdict["result"];
  readonly detail?: string | null;
  readonly at: number;
  readonly since?: number;
}

export interface FoundPerson {
  readonly row: BookRow;
  readonly type: string;
  /** What a scan would answer here and now. */
  readonly would: Verdict;
  /** What an undo names: the admission that counts. */
  readonly admissionId?: string | undefined;
  /** The way out after it, and since when they had been in. */
  readonly out?: WayOut | undefined;
}

export interface WayOut {
  readonly id: string;
  readonly since: number;
}
