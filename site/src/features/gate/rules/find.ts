// Finds people in the device's own list: by name, mail, order, plate, or the first or last characters of a code's number.
import type { BookRow } from "./decide.ts";

const SEARCH_LIMIT = 20;
export const SHORTEST_SEARCH = 2;

export function findPeople(rows: Iterable<BookRow>, text: string): BookRow[] {
  const words = folded(text).split(" ").filter(Boolean);
  const end = text.toLowerCase().replace(/[#\s-]/g, "");
  if (end.length < SHORTEST_SEARCH) return [];
  const hex = /^[0-9a-f]{4,36}$/.test(end);
  const found: BookRow[] = [];
  for (const row of rows) {
    const haystack = ` ${folded(row.name)} ${row.email.toLowerCase()}`;
    if (
      words.every((word) => haystack.includes(` ${word}`)) ||
      (hex && (row.order.startsWith(end) || isNumberOf(row.id, end))) ||
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

/** Tickets are printed with the first characters. */
function isNumberOf(id: string, part: string): boolean {
  const digits = id.replaceAll("-", "");
  return digits.startsWith(part) || digits.endsWith(part);
}

/** Lower case without accents: "Jose" finds "José". */
const folded = (text: string) =>
  text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replace(/\s+/g, " ").trim();
