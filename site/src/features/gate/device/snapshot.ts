// The engine's state for the screens.
import type { GateAccessRemoved, GateEntrance, GateOpened, GateScan } from "contract/gate";
import type { BookRow, Verdict } from "../rules/decide.ts";
import type { Notice } from "../rules/waiting-scans.ts";

/** A clock that is off by more than this is shown. */
export const CLOCK_OFF_MS = 5 * 60_000;

/**
 * Kept: everything is stored. Full, failing: the queue is in local storage or memory. Unread: the same, because earlier data on
 * the device cannot be read. None: this browser stores nothing.
 */
export type StorageState = "kept" | "full" | "failing" | "unread" | "none";

export type ScannedBy = GateScan["by"];

export interface GateSnapshot {
  /** The screen to show: `opening` until the first call to the server. `second_step`: the server requires it first. */
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
  /** Why the server could not be reached, in its own words. */
  readonly refusal: string | undefined;
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
  refusal: undefined,
};

/** Whether the stored data has been read or skipped. */
export const hasBegun = ({ phase }: GateSnapshot): boolean => phase !== "starting" && phase !== "unreadable";

export interface Shown {
  /** The scan's id. For an admission, the id that an undo names. */
  readonly id: string;
  readonly codeId: string | undefined;
  readonly verdict: Verdict;
  readonly at: number;
  readonly alone: boolean;
  /** For an exit: when they had come in. */
  readonly since?: number;
}

/** An entry or exit that can be undone. */
export interface Undoable {
  readonly codeId: string;
  /** The scan's id; undefined for the admission that counts. */
  readonly undoes: string | undefined;
  readonly name: string;
  readonly person?: Verdict["person"];
  /** For an exit: when they had come in. */
  readonly since?: number;
}

/** A scan by this device, kept for review and undo. */
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
  /** The verdict a scan would get here and now. */
  readonly would: Verdict;
  /** The id an undo names: the admission that counts. */
  readonly admissionId?: string | undefined;
  /** The exit after it, and when they had come in. */
  readonly out?: WayOut | undefined;
}

export interface WayOut {
  readonly id: string;
  readonly since: number;
}
