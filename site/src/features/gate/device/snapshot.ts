// What the engine shows to the screens.
import type { GateAccessRemoved, GateEntrance, GateOpened, GateScan } from "contract/gate";
import type { BookRow, Verdict } from "../rules/decide.ts";
import type { Notice } from "../rules/hand-in.ts";
import type { StorageState } from "./store.ts";

/** A clock further off than this is shown. */
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
  trouble: undefined,
};

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
