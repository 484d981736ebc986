// What the gate board shows, derived from the response of `gate_board`. Pure.
import type { gateAccessRemovals, GateBoard, GateRefusal } from "contract/gate";
import { TIME_ZONE } from "contract/festival/time-zone";

const MINUTE = 60_000;
export const MINUTES_SHOWN = 60;

/** The last hour at one entrance, minute by minute. The last minute is still running. */
export interface Lane {
  /** Null for the back office, and for devices without an entrance. */
  id: string | null;
  name: string;
  isClosed: boolean;
  admitted: readonly number[];
  refused: readonly number[];
  /** Of the last full minute. */
  rate: number;
  total: number;
}

export interface Inflow {
  lanes: readonly Lane[];
  /** The start of the first minute shown. */
  from: number;
  /** The most scans at one entrance in one minute, admitted and refused together: the plot's full height. */
  most: number;
  /** Of the last full minute, all entrances together. */
  rate: number;
  /** No one came in or was refused in this hour. */
  isEmpty: boolean;
}

/** Closed entrances, and the lane of no entrance, are shown only if something happened there. */
export function inflowOf({ now, inflow, entrances }: GateBoard): Inflow {
  const from = Math.floor(now / MINUTE) * MINUTE - (MINUTES_SHOWN - 1) * MINUTE;
  const places = [
    ...entrances.map(({ id, name, is_open }) => ({ id: id as string | null, name, isClosed: !is_open })),
    { id: null, name: "No entrance, or back office", isClosed: false },
  ];
  const lanes = places
    .map(({ id, name, isClosed }): Lane => {
      const admitted = Array.from({ length: MINUTES_SHOWN }, () => 0);
      const refused = admitted.slice();
      for (const entry of inflow) {
        const index = Math.round((entry.minute - from) / MINUTE);
        if (entry.entrance_id !== id || admitted[index] === undefined) continue;
        admitted[index] += entry.admitted;
        refused[index] = (refused[index] ?? 0) + entry.refused;
      }
      return { id, name, isClosed, admitted, refused, rate: admitted.at(-2) ?? 0, total: sum(admitted) };
    })
    .filter((lane) => (lane.id !== null && !lane.isClosed) || lane.total > 0 || sum(lane.refused) > 0);
  const most = Math.max(
    1,
    ...lanes.flatMap(({ admitted, refused }) => admitted.map((count, at) => count + (refused[at] ?? 0))),
  );
  return {
    lanes,
    from,
    most,
    rate: sum(lanes.map(({ rate }) => rate)),
    isEmpty: lanes.every(({ total, refused }) => total === 0 && sum(refused) === 0),
  };
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);

interface Presence {
  inside: number;
  toCome: number;
}

/** People counted by their tickets, vehicles by their codes. */
export function presenceOf({ types }: GateBoard): { people: Presence; vehicles: Presence } {
  const of = (isOwn: (type: GateBoard["types"][number]) => boolean): Presence => {
    const own = types.filter(isOwn);
    return { inside: sum(own.map(({ inside }) => inside)), toCome: sum(own.map(({ to_come }) => to_come)) };
  };
  return { people: of(({ kind }) => kind === "ticket"), vehicles: of(({ is_vehicle }) => is_vehicle) };
}

/** People inside on a code that had already been used. The counts by code do not include them. */
export const insideTwice = ({ conflicts }: GateBoard["totals"]): string =>
  conflicts > 0 ? `+${conflicts.toLocaleString("en-US")} let in twice` : "";

/** Nothing was ever scanned, and there are no devices. */
export const isUntouched = ({ totals, devices }: GateBoard): boolean =>
  devices.length === 0 && totals.admitted === 0 && totals.refused === 0;

export const refusalNames: Record<GateRefusal, string> = {
  already_in: "Already in",
  void: "Refunded",
  old_code: "Old code, replaced since",
  unknown: "Not one of ours",
  not_today: "Doors closed",
  closed: "Entrance closed",
  wrong_entrance: "Wrong entrance",
  not_inside: "Exit scan, but not inside",
};

const detailNames: Record<string, string> = {
  forged: "forged",
  cut: "cut off",
  other_festival: "another festival's",
  not_in_books: "valid signature, but no record",
  malformed: "unreadable",
  transferred: "transferred to someone else",
};

export function refusalText(reason: GateRefusal, detail: string | null): string {
  const more = detail === null ? undefined : detailNames[detail];
  return more ? `${refusalNames[reason]} (${more})` : refusalNames[reason];
}

/** A device that reported this recently is at work, and its last report still holds. */
export const QUIET_AFTER_MS = 60_000;

/** How many scans a device has not sent; undefined when it has gone silent. */
export const knownPending = ({ pending, last_seen_at }: Heard, now: number): number | undefined =>
  now - last_seen_at > QUIET_AFTER_MS ? undefined : pending;

type Heard = Pick<GateBoard["devices"][number], "pending" | "last_seen_at">;

/** Why a device may no longer scan, after "Access removed:". */
export const lostNames: Record<(typeof gateAccessRemovals)[number], string> = {
  device_revoked: "device revoked",
  invitation_revoked: "invitation revoked",
  invitation_ended: "invitation ended",
  role_removed: "role removed",
};

/** "12 s ago", "3 min ago", "2 h ago" */
export function agoText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 10) return "Now";
  if (seconds < 60) return `${seconds} s ago`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ago` : `${Math.floor(hours / 24)} days ago`;
}

const CLOCK_TOLERANCE_MS = 60_000;

/** "Clock 2 h 5 min slow"; undefined when the clock is right or unknown. */
export function clockText(offsetMs: number | null): string | undefined {
  if (offsetMs === null || Math.abs(offsetMs) < CLOCK_TOLERANCE_MS) return undefined;
  const minutes = Math.round(Math.abs(offsetMs) / MINUTE);
  const hours = Math.floor(minutes / 60);
  const text = hours > 0 ? `${hours} h ${minutes % 60} min` : `${minutes} min`;
  return `Clock ${text} ${offsetMs > 0 ? "slow" : "fast"}`;
}

export type Entrance = GateBoard["entrances"][number];

interface Doors {
  admits: "tickets" | "parking" | "both";
  ticket_type_ids: readonly string[] | null;
  is_express: boolean;
}

/** What an entrance admits, in words. */
export function admitsText(doors: Doors, types: readonly { id: string; name: string }[]): string {
  if (doors.admits === "parking") return "Parking";
  const tickets =
    doors.ticket_type_ids === null
      ? doors.is_express
        ? "VIP tickets"
        : "All tickets"
      : types
          .filter(({ id }) => doors.ticket_type_ids?.includes(id))
          .map(({ name }) => name)
          .join(", ") || "No ticket type";
  return doors.admits === "both" ? `${tickets}, parking` : tickets;
}

type InvitationState = "good" | "ended" | "revoked";

export function invitationState(
  { expires_at, revoked_at }: { expires_at: number; revoked_at: number | null },
  now: number,
): InvitationState {
  if (revoked_at !== null) return "revoked";
  return expires_at <= now ? "ended" : "good";
}

/**
 * The address that opens the gate app (features/gate). The token is in the fragment, so no server and no log sees it.
 */
export const invitationLink = (origin: string, token: string): string => `${origin}/gate#invite=${token}`;

/** "Main Entrance, Phone 3" */
export function placeText({ entrance, device }: { entrance: string | null; device: string | null }): string {
  return [entrance ?? "No entrance", device].filter((part) => part !== null).join(", ");
}

const second = new Intl.DateTimeFormat("en-US", { timeZone: TIME_ZONE, timeStyle: "medium" });
const clock = new Intl.DateTimeFormat("en-US", { timeZone: TIME_ZONE, timeStyle: "short" });
const day = new Intl.DateTimeFormat("en-US", { timeZone: TIME_ZONE, month: "short", day: "2-digit" });

/** "2:05 PM", preceded by the day when it is not today. Central time. */
export function timeOf(at: number, now: number): string {
  const today = day.format(at) === day.format(now);
  return today ? clock.format(at) : `${day.format(at)}, ${clock.format(at)}`;
}

/** When something ends. Midnight counts as the end of the previous day: "tonight, midnight", "Jun 28, midnight" */
export function untilText(at: number, now: number): string {
  const last = at - 1000;
  const ends = day.format(last) === day.format(at) ? clock.format(at) : "midnight";
  return `${day.format(last) === day.format(now) ? "tonight" : day.format(last)}, ${ends}`;
}

/**
 * "2:05:09 PM", preceded by the day when it is not today. With seconds, because two entrances may admit within one
 * minute. Central time.
 */
export function clockOf(at: number, now: number): string {
  const today = day.format(at) === day.format(now);
  return today ? second.format(at) : `${day.format(at)} ${second.format(at)}`;
}

const isoDay = new Intl.DateTimeFormat("en-CA", { timeZone: TIME_ZONE });

/** The Central day of a moment in a date field's format: "2026-06-27". */
export const centralDay = (at: number): string => isoDay.format(at);
