// A CSV body (RFC 4180) as rows, read as PostgREST reads it: the first line names the columns, and NULL, quoted or not, is
// null. Every other value stays text, which PostgreSQL reads by the column's type.
import { badBody } from "../errors.ts";

/** A column that every line lacks at its end is left out. Throws PGRST102 when a line has more or fewer fields than the first. */
export function parseCsv(text: string): Record<string, string | null>[] {
  const [header, ...lines] = records(text);
  if (header === undefined) throw badBody(`parse error (not enough input) at ""`);
  const width = (line: readonly string[]) => Math.min(line.length, header.length);
  return lines.map((line) => {
    if (width(line) !== width(lines[0]!)) throw badBody("All lines must have same number of fields");
    const said = line.slice(0, header.length);
    return Object.fromEntries(said.map((value, at) => [header[at]!, value === "NULL" ? null : value]));
  });
}

const FIELD = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/y;

/** Blank lines are skipped. */
function records(text: string): string[][] {
  const found: string[][] = [];
  let line: string[] = [];
  FIELD.lastIndex = 0;
  while (FIELD.lastIndex < text.length || line.length > 0) {
    const match = FIELD.exec(text);
    if (match === null) throw badBody("parse error (endOfInput)");
    const [, inQuotes, plain = "", end] = match;
    line.push(inQuotes === undefined ? plain : inQuotes.replaceAll('""', '"'));
    if (end === ",") continue;
    if (line.length > 1 || line[0] !== "" || inQuotes !== undefined) found.push(line);
    line = [];
    if (end === "") break;
  }
  return found;
}
