// Finds people in the device's own list: by name, mail, order, plate, or the first or last characters of a number.
import { plateLetters, searchWords, wordsAsked } from "contract/names";
import type { BookRow } from "./decide.ts";

const SEARCH_LIMIT = 20;
export const SHORTEST_SEARCH = 2;

export function findPeople(rows: Iterable<BookRow>, text: string): BookRow[] {
  const isNamed = wordsAsked(text);
  const plate = plateLetters(text);
  const isWhole = wordsAsked(text, "whole");
  const end = text.toLowerCase().replace(/[#\s-]/g, "");
  if (end.length < SHORTEST_SEARCH) return [];
  const hex = /^[0-9a-f]{4,32}$/.test(end);
  /** Those who have the words as whole words come first: Ng before every Nguyen. */
  const whole: BookRow[] = [];
  const found: BookRow[] = [];
  for (const row of rows) {
    if (isWhole(soughtOf(row).words)) {
      whole.push(row);
      if (whole.length === SEARCH_LIMIT) break;
    } else if (
      found.length < SEARCH_LIMIT &&
      (isNamed(soughtOf(row).words) ||
        (hex && (isNumberOf(row.order, end) || isNumberOf(row.id, end))) ||
        (plate.length >= SHORTEST_SEARCH && soughtOf(row).plate.startsWith(plate)))
    ) {
      found.push(row);
    }
  }
  return [whole, found]
    .flatMap((rows) => rows.toSorted((one, other) => one.name.localeCompare(other.name)))
    .slice(0, SEARCH_LIMIT)
    .sort((one, other) => Number(one.is_void) - Number(other.is_void));
}

/** People see and read out the first 8 characters. The list has no more of an order's. */
function isNumberOf(id: string, part: string): boolean {
  const digits = id.replaceAll("-", "");
  return (
    digits.startsWith(part) ||
    digits.slice(0, 8).endsWith(part) ||
    (digits.length === 8 && part.startsWith(digits))
  );
}

interface Sought {
  readonly words: string;
  /** Empty without a plate. */
  readonly plate: string;
}

const known = new WeakMap<BookRow, Sought>();

/** Once for each row: a list may have 50,000, and each letter typed searches them all. */
function soughtOf(row: BookRow): Sought {
  let sought = known.get(row);
  if (sought === undefined) {
    const words = ` ${[...searchWords(row.name, row.email)].join(" ")} `;
    sought = { words, plate: plateLetters(row.plate ?? "") };
    known.set(row, sought);
  }
  return sought;
}
