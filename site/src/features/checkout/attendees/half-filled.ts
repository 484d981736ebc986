// A name without an address yet, or the other way round. The cart keeps only complete attendees, so this tab keeps the halves
// separately.
import { draftKey } from "#lib/browser/form-draft.ts";
import { readJson, writeJson } from "#lib/browser/stored-json.ts";
import type { Seat } from "../cart/seats.ts";

const KEY = draftKey("half-filled-attendees");

type Half = Pick<Seat, "ticketTypeId" | "position" | "name" | "email">;

/** The seats, with this user's half-filled entries for those that are empty in the cart. */
export function withHalves(userId: string, seats: readonly Seat[]): Seat[] {
  const halves = readHalves(userId);
  return seats.map((seat) => {
    if (seat.name || seat.email) return seat;
    const half = halves.find(
      ({ ticketTypeId, position }) => ticketTypeId === seat.ticketTypeId && position === seat.position,
    );
    return half ? { ...seat, name: half.name, email: half.email } : seat;
  });
}

export const halvesOf = (seats: readonly Seat[]): Half[] =>
  seats.flatMap(({ ticketTypeId, position, name, email }) =>
    Boolean(name.trim()) === Boolean(email.trim()) ? [] : [{ ticketTypeId, position, name, email }],
  );

/** Replaces all earlier halves. */
export function keepHalves(userId: string, halves: readonly Half[]): void {
  writeJson("session", KEY, halves.length > 0 ? { userId, halves } : undefined);
}

function readHalves(userId: string): Half[] {
  try {
    const kept = readJson("session", KEY) as { userId?: unknown; halves?: unknown } | undefined | null;
    return kept?.userId === userId && Array.isArray(kept.halves) ? kept.halves.filter(isHalf) : [];
  } catch {
    return [];
  }
}

function isHalf(value: unknown): value is Half {
  if (typeof value !== "object" || value === null) return false;
  const { ticketTypeId, position, name, email } = value as Partial<Record<keyof Half, unknown>>;
  return (
    typeof ticketTypeId === "string" &&
    typeof position === "number" &&
    typeof name === "string" &&
    typeof email === "string"
  );
}
