// The messages between a gate device and the server: the results of a scan, and the shapes of the gate's functions with parsers that
// throw on anything else. SQL uses the same words (`gate_scan`), and a test compares them.
import { z } from "zod";
import type { SectionOf } from "./festival/sections.ts";

/** What is wrong with a code that we know. A person whom a device let in offline all the same is marked with it. */
export const codeRefusals = ["void", "old_code", "not_today", "closed", "wrong_entrance"] as const;

export type CodeRefusal = (typeof codeRefusals)[number];

/** Why someone was not let in or out. docs/CHANGING.md says what else another one needs. */
export const gateRefusals = ["already_in", ...codeRefusals, "unknown", "not_inside"] as const;

export type GateRefusal = (typeof gateRefusals)[number];

/** The outcome of a scan. `let_out` and `undone` answer the actions `out` and `undo`. */
export const gateResults = ["admitted", "let_out", "undone", ...gateRefusals] as const;

export type GateResult = (typeof gateResults)[number];

/**
 * For an unknown code: not signed by us, incomplete, signed for another festival, or signed by us but not in the database. For a scan:
 * malformed, or decided by its device in a way the tables cannot hold; the audit log has it.
 */
const unknownDetails = [
  "forged",
  "cut",
  "other_festival",
  "not_in_books",
  "malformed",
  "not_recorded",
] as const;

export type UnknownDetail = (typeof unknownDetails)[number];

/** Why a gate device has lost access. */
export const gateAccessRemovals = [
  "device_revoked",
  "role_removed",
  "invitation_revoked",
  "invitation_ended",
] as const;

/** Only for the calling device itself: this account never opened it, or it was signed out elsewhere. */
const ownRemovals = ["unknown_device", "session_ended"] as const;

/** Every hint of `refuse_gate_access`. */
export const gateAccessRefusals = [...gateAccessRemovals, ...ownRemovals] as const;

export type GateAccessRemoved = (typeof gateAccessRefusals)[number];

export const gateLimits = {
  /** Scans per call of `gate_scan`. */
  scans: 1000,
  /** Rows per page of `gate_list`. */
  rows: 5000,
  deviceName: 60,
  /** Who or what an invitation is for. */
  invitationLabel: 60,
  entranceName: 60,
  undoReason: 200,
  /** Devices per invitation. */
  phones: 200,
  plate: 20,
} as const;

const milliseconds = z.number();
/** Of the product: a ticket admits a person, and an entrance for parking admits all others. */
const kind = z.string();

/** One scan of a code, as the device sends it. The device chooses the id, so sending it again changes nothing. */
export interface GateScan {
  readonly id: string;
  /** An entry code's id; null when the code names none. */
  readonly code_id: string | null;
  /** From the code; null when the person was found by search. */
  readonly issue_number: number | null;
  /** From the code: the festival it was signed for. The server refuses another one's. */
  readonly event?: string;
  readonly action: "in" | "out" | "undo" | "refused";
  /** Milliseconds, by the device's clock, corrected with its last known offset. */
  readonly at: number;
  /** Null: the server decides. Otherwise the device has decided, and the server records it. */
  readonly decided: "admitted" | "let_out" | "undone" | GateRefusal | null;
  readonly by: "camera" | "keyboard" | "search";
  /** Where it was scanned. Defaults to the device's entrance. */
  readonly entrance_id?: string;
  readonly plate?: string;
  /** The reason for an undo, or the detail of a refused unknown code. */
  readonly reason?: string;
  /**
   * What an undo reverts: the id of an admission or of a scan out. Defaults to the device's own admission of this code, otherwise the
   * admission that counts.
   */
  readonly undoes?: string;
}

const person = z.object({
  kind,
  name: z.string(),
  type: z.string(),
  is_vip: z.boolean(),
  /** The order includes parking. True for only one VIP ticket per order: the valid one with the lowest id that was not passed on. */
  includes_parking: z.boolean(),
  /** First 8 characters of the order's id. */
  order: z.string(),
  /** First 8 characters of the entry code's id. */
  code: z.string(),
  plate: z.string().nullable(),
});

export type GatePerson = z.infer<typeof person>;

/** When and where someone was let in. */
const admission = z.object({
  /** The id an undo names; null when it was not scanned. */
  id: z.string().nullish(),
  at: milliseconds,
  entrance: z.string().nullable(),
  device: z.string().nullable(),
});

const scanAnswer = z.object({
  id: z.string(),
  result: z.enum(gateResults),
  /** Present only when the server decided and knows the code. */
  person: person.nullish(),
  /** For `already_in`, and for an `admitted` that was the second admission of its code. */
  first: admission.nullish(),
  /**
   * True for an `admitted` that was not the first to reach the server. Compare `at` with `first.at` to see which came first at a gate.
   */
  conflict: z.boolean().optional(),
  /** For a conflict: when this admission happened, by the server's clock. */
  at: milliseconds.nullish(),
  /** Why the server would have refused a person who was let in offline. */
  despite: z.enum(codeRefusals).nullish(),
  /**
   * For `unknown`; `transferred` for an `old_code` whose ticket was passed on; `cancelled` for a `closed` because the festival is
   * cancelled.
   */
  detail: z.string().nullish(),
  /** For `not_today`. */
  opens_at: milliseconds.nullish(),
  closes_at: milliseconds.nullish(),
  /** For `wrong_entrance`: the names of the entrances that admit it. */
  entrances: z.array(z.string()).nullish(),
});

export type GateScanAnswer = z.infer<typeof scanAnswer>;

const scanAnswers = z.object({ now: milliseconds, results: z.array(scanAnswer) });

export type GateScanAnswers = z.infer<typeof scanAnswers>;

const entrance = z.object({
  id: z.string(),
  name: z.string(),
  admits: z.enum(["tickets", "parking", "both"]),
  /** The ticket types it admits; parking is not limited by them. Null: all of them; for an express lane, all VIP types. */
  ticket_type_ids: z.array(z.string()).nullable(),
  is_express: z.boolean(),
  is_open: z.boolean(),
});

export type GateEntrance = z.infer<typeof entrance>;

const settings = z.object({
  doors_open_at: milliseconds.nullable(),
  doors_close_at: milliseconds.nullable(),
  reentry: z.boolean(),
  /** A cancelled festival admits no one. Missing in data that a device stored before this field existed. */
  is_cancelled: z.boolean().optional(),
  /** What is published, whatever the device's page says. Missing in data that a device stored before this field existed. */
  facts: z.custom<SectionOf<"facts">>((facts) => facts instanceof Object && "code" in facts).optional(),
});

export type GateSettings = z.infer<typeof settings>;

const opened = z.object({
  now: milliseconds,
  device: z.object({
    id: z.string(),
    name: z.string(),
    entrance_id: z.string().nullable(),
    /** True when the name was taken and a number was appended. */
    renamed: z.boolean(),
    /** Its invitation is for one entrance, so it cannot choose another. */
    is_bound: z.boolean().optional(),
  }),
  entrances: z.array(entrance),
  settings,
  types: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      kind,
      is_vip: z.boolean(),
      /** Its codes admit a vehicle, which has a plate. */
      is_vehicle: z.boolean(),
    }),
  ),
  /** Public Ed25519 keys in RFC 8037 format; `id` is the RFC 7638 thumbprint. */
  keys: z.array(
    z.object({ id: z.string(), jwk: z.object({ kty: z.string(), crv: z.string(), x: z.string() }) }),
  ),
  role: z.enum(["admin", "gate"]),
  /** Missing in data that a device stored before this field existed. */
  sells_at_door: z.boolean().optional(),
  /** When the role ends; null when it does not. */
  expires_at: milliseconds.nullable(),
});

export type GateOpened = z.infer<typeof opened>;

const listRow = z
  .tuple([
    z.string(),
    kind,
    z.string(),
    z.number(),
    z.union([z.literal(0), z.literal(1)]),
    milliseconds.nullable(),
    z.string().nullable(),
    z.string(),
    z.string(),
    z.string(),
    z.string().nullable(),
    z.number().nullable(),
    milliseconds.nullable(),
    z.union([z.literal(0), z.literal(1)]),
    z.string().nullable(),
  ])
  .rest(z.unknown()) // columns of a newer server
  .transform(
    ([
      id,
      kind,
      type_id,
      issue_number,
      voided,
      admitted_at,
      entrance_id,
      name,
      email,
      order,
      plate,
      transferred_issue,
      last_in_at,
      included,
      last_scan,
    ]) => ({
      id,
      kind,
      type_id,
      issue_number,
      is_void: voided === 1,
      /** Null for holders who are outside: never admitted, or gone out. */
      admitted_at,
      /** Where the holder was last admitted. */
      entrance_id,
      name,
      email,
      order,
      plate,
      /** When it was passed on: the current holder's first issue number. A code with a lower one belongs to a former holder. */
      transferred_issue,
      /** When the holder last came in, also for those who have gone out since: without re-entry they may not come in again. */
      last_in_at,
      /** Parking that came with VIP; false for every ticket and for a pass that was paid for. */
      is_included: included === 1,
      /**
       * The scan that last let the holder in or out: the first 8 characters of its id. So a device knows its own scan, and a whole id
       * would take four times the bytes of a list that may have 50,000 rows.
       */
      last_scan,
    }),
  );

export type GateListRow = z.infer<typeof listRow>;

const list = z.object({
  now: milliseconds,
  /** Opaque. Sent as `p_since` with the next call, which follows at once while `more` is true. */
  upto: z.string(),
  more: z.boolean(),
  /** The first page of a full list: the device drops what it has. */
  reset: z.boolean(),
  rows: z.array(listRow),
  /** The current entrances, so that a device knows about a closed one before the next scan. */
  entrances: z.array(entrance).optional(),
  settings: settings.optional(),
});

export type GateList = z.infer<typeof list>;

const found = z.object({
  now: milliseconds,
  people: z.array(
    person.extend({
      id: z.string(),
      type_id: z.string(),
      issue_number: z.number(),
      email: z.string(),
      is_void: z.boolean(),
      admitted_at: milliseconds.nullable(),
      entrance_id: z.string().nullable(),
      is_in: z.boolean().optional(),
      /** What a scan at this device's entrance would answer now. */
      would: z.enum(gateResults).optional(),
      /** What an undo names: the admission that counts, and the exit after it. */
      admission_id: z.string().nullish(),
      out_id: z.string().nullish(),
      /** When that admission happened, also for people who have gone out since. */
      last_in_at: milliseconds.nullish(),
    }),
  ),
});

export type GateFound = z.infer<typeof found>;

/** Today's entries and exits at the device's entrance, newest first. */
const recent = z.object({
  now: milliseconds,
  scans: z.array(
    z.object({
      /** The id an undo names. */
      id: z.string(),
      action: z.enum(["in", "out"]),
      at: milliseconds,
      /** For an exit: when they had come in. */
      since: milliseconds.nullish(),
      entrance: z.string().nullable(),
      device: z.string().nullable(),
      is_own: z.boolean(),
      is_undone: z.boolean(),
      code_id: z.string(),
      person,
    }),
  ),
});

export type GateRecent = z.infer<typeof recent>;

const board = z.object({
  now: milliseconds,
  totals: z.object({
    /** Distinct codes that were let in. */
    admitted: z.number(),
    inside: z.number(),
    conflicts: z.number(),
    /** Let in offline although the server would have refused. */
    despite: z.number(),
    refused: z.number(),
    undone: z.number(),
  }),
  /** Minutes of the last hour with any activity, oldest first. */
  inflow: z.array(
    z.object({
      minute: milliseconds,
      entrance_id: z.string().nullable(),
      admitted: z.number(),
      refused: z.number(),
    }),
  ),
  types: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      kind,
      is_vehicle: z.boolean(),
      /** Valid codes. */
      valid: z.number(),
      admitted: z.number(),
      inside: z.number(),
      to_come: z.number(),
    }),
  ),
  entrances: z.array(entrance.extend({ admitted: z.number(), refused: z.number() })),
  refused: z.array(z.object({ reason: z.enum(gateRefusals), count: z.number() })),
  last_refused: z.array(
    z.object({
      id: z.string(),
      reason: z.enum(gateRefusals),
      detail: z.string().nullable(),
      at: milliseconds,
      entrance: z.string().nullable(),
      device: z.string().nullable(),
      name: z.string().nullable(),
      type: z.string().nullable(),
    }),
  ),
  /** Codes that admitted twice, newest first. */
  conflicts: z.array(
    z.object({
      id: z.string(),
      code_id: z.string(),
      kind,
      name: z.string(),
      type: z.string(),
      order_id: z.string(),
      first: admission,
      second: admission,
    }),
  ),
  despite: z.array(
    z.object({
      id: z.string(),
      reason: z.enum(codeRefusals),
      code_id: z.string(),
      kind,
      name: z.string(),
      type: z.string(),
      order_id: z.string(),
      at: milliseconds,
      entrance: z.string().nullable(),
      device: z.string().nullable(),
    }),
  ),
  devices: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      user: z.string().nullable(),
      invitation: z.string().nullable(),
      entrance_id: z.string().nullable(),
      last_seen_at: milliseconds,
      /** Scans it had not yet sent when it last reported. */
      pending: z.number(),
      /** How far its clock is behind the server's; negative when it is ahead, null when unknown. */
      clock_offset_ms: z.number().nullable(),
      /** Why it has lost access; null while it has access. */
      lost: z.enum(gateAccessRemovals).nullable(),
      revoked_at: milliseconds.nullable(),
      admitted: z.number(),
    }),
  ),
  invitations: z.array(
    z.object({
      id: z.string(),
      label: z.string(),
      entrance_id: z.string().nullable(),
      created_at: milliseconds,
      expires_at: milliseconds,
      revoked_at: milliseconds.nullable(),
      /** How many devices it is for. */
      phones: z.number(),
      devices: z.number(),
    }),
  ),
  settings,
});

export type GateBoard = z.infer<typeof board>;

const madeInvitation = z.object({ id: z.string(), token: z.string(), expires_at: milliseconds });

export type GateInvitation = z.infer<typeof madeInvitation>;

/**
 * Request and response of `redeem-gate-invitation`. `phone` is a secret chosen by the phone, so a phone that lost the response can
 * retry.
 */
export const redeemGateInvitationSchema = z.object({ token: z.string().min(1).max(200), phone: z.uuid() });

/** Signs the device in, once. */
const redeemed = z.object({ token_hash: z.string(), entrance_id: z.string().nullable() });

export type RedeemedGateInvitation = z.infer<typeof redeemed>;

export const readGateOpened = (answer: unknown): GateOpened => opened.parse(answer);
export const readGateList = (answer: unknown): GateList => list.parse(answer);
export const readGateScanAnswers = (answer: unknown): GateScanAnswers => scanAnswers.parse(answer);
export const readGateFound = (answer: unknown): GateFound => found.parse(answer);
export const readGateRecent = (answer: unknown): GateRecent => recent.parse(answer);
export const readGateBoard = (answer: unknown): GateBoard => board.parse(answer);
export const readGateInvitation = (answer: unknown): GateInvitation => madeInvitation.parse(answer);
export const readRedeemedGateInvitation = (answer: unknown): RedeemedGateInvitation => redeemed.parse(answer);

/** For an error from a gate function; undefined when the error is about something else. */
export function gateAccessRemoved(error: unknown): GateAccessRemoved | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { code, details, hint } = error as { code?: unknown; details?: unknown; hint?: unknown };
  if (code !== "42501" || details !== "gate_access_removed") return undefined;
  return gateAccessRefusals.find((why) => why === hint) ?? "role_removed";
}

interface Doors {
  readonly admits: GateEntrance["admits"];
  readonly ticket_type_ids: readonly string[] | null;
  readonly is_express: boolean;
}

/**
 * Whether an entrance is for a code of this type, whether or not the entrance is open. Same rule as SQL's `entrance_admits`,
 * which a test compares.
 */
export function entranceAdmits(
  doors: Doors,
  type: { readonly id: string; readonly kind: string; readonly is_vip: boolean },
): boolean {
  if (type.kind !== "ticket") return doors.admits !== "tickets";
  if (doors.admits === "parking") return false;
  if (doors.ticket_type_ids !== null) return doors.ticket_type_ids.includes(type.id);
  return !doors.is_express || type.is_vip;
}
