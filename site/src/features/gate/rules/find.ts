// Finds people in the device's own list: by name, mail, order, plate, or the first or last characters of a number.
import { searchWords, wordsAsked } from "contract/names";
import type { BookRow } from "./decide.ts";

const SEARCH_LIMIT = 20;
export const SHORTEST_SEARCH = 2;

export function findPeople(rows: Iterable<BookRow>, text: string): BookRow[] {
  const isNamed = wordsAsked(text);
  const end = text.toLowerCase().replace(/[#\s-]/g, "");
  if (end.length < SHORTEST_SEARCH) return [];
  const hex = /^[0-9a-f]{4,32}$/.test(end);
  const found: BookRow[] = [];
  for (const row of rows) {
    if (
      isNamed(wordsOf(row)) ||
      (hex && (isNumberOf(row.order, end) || isNumberOf(row.id, end))) ||
      (row.plate !== null && row.plate.toLowerCase().replace(/[\s-]/g, "") === end)
    ) {
      found.push(row);
      if (found.length === SEARCH_LIMIT) break;
    }
  }
  return found.sort(
    (one, other) => Number(one.is_void) - Number(other.is_void) || one.name.localeCompare(other.name),
  );
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

const known = new WeakMap<BookRow, string>();

/** Once for each row: a list may have 50,000, and each letter typed searches them all. */
function wordsOf(row: BookRow): string {
  let words = known.get(row);
  if (words === undefined) {
    words = ` ${[...searchWords(row.name, row.email)].join(" ")} `;
    known.set(row, words);
  }
  return words;
}
