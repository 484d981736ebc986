// Lists as comma-separated values (RFC 4180), safe to open in a spreadsheet.

import { centralField } from "../time/central-time.ts";

export type CsvValue = string | number | CsvMoney | CsvTime | null | undefined;

interface CsvMoney {
  cents: number;
}

interface CsvTime {
  iso: string;
}

/** Dollars with two decimals, as a number. */
export function csvMoney(cents: number): CsvMoney {
  return { cents };
}

/** "2025-06-07 14:05" in Houston, which every spreadsheet reads as this time. */
export function csvTime(iso: string | null): CsvTime | null {
  return iso === null ? null : { iso };
}

/**
 * One record with its line end. Text that a spreadsheet would run as a formula, or turn into another number or a date, gets a leading
 * apostrophe.
 */
export function csvRecord(values: readonly CsvValue[]): string {
  return `${values.map(field).join(",")}\r\n`;
}

function field(value: CsvValue): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  if (typeof value === "object")
    return "iso" in value ? centralField(value.iso).replace("T", " ") : (value.cents / 100).toFixed(2);
  const text = phone.test(value) ? phoneText(value) : readAsWritten(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Some spreadsheets separate at semicolons or tabs, where a quote that is not at the start of a record means nothing. */
const formula = /(^|[;\t\r\n] *)(?=[=+\-@\t\r])/g;

const phone = /^\+[\d(][\d ().-]{5,30}$/;

/** Figures, and the only ones that stay as they are: counts and amounts, without a leading zero, that a spreadsheet can keep. */
const figures = /^\d[\d.,]*(e\+?\d+)?$/i;
const keptFigures = /^(0|[1-9]\d{0,10})(\.\d\d)?$/;
const isoDay = /^\d{4}-\d\d-\d\d$/;
const month =
  "(jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?|nov(ember)?|dec(ember)?)";
const sign = "[-/., ]*";
/** A day, a time, or a month with a figure: 3-4, 10:30, MAY10, 5 June 25. */
const date = new RegExp(
  `^(\\d{1,4}[-/.]\\d{1,2}([-/.]\\d{1,4})?|\\d{1,2}:\\d\\d(:\\d\\d)?( ?[ap]m)?|\\d{1,4}${sign}${month}(${sign}\\d{1,4})?|${month}${sign}\\d{1,4}(${sign}\\d{1,4})?)$`,
  "i",
);

function readAsWritten(value: string): string {
  const isKept = keptFigures.test(value) || isoDay.test(value);
  const isChanged = !isKept && (figures.test(value) || date.test(value) || /^(true|false)$/i.test(value));
  return isChanged ? `'${value}` : value.replaceAll(formula, "$1'");
}

/**
 * A spreadsheet reads "+17135550100" as a number and "+1-713-555-0100" as a subtraction. A space between two blocks of digits
 * keeps it text, with every digit unchanged.
 */
function phoneText(value: string): string {
  const blocks = value.slice(1).split(/\D+/).filter(Boolean);
  const digits = blocks.join("");
  if (/^1\d{10}$/.test(digits)) {
    return `+1 ${digits.slice(1, 4)}-${digits.slice(4, 7)}-${digits.slice(7)}`;
  }
  return `+${blocks.length > 1 ? blocks.join(" ") : `${digits.slice(0, -4)} ${digits.slice(-4)}`}`;
}

/** Rows per read for a file. */
export const CSV_PAGE = 500;

/** A column's header, and its value in a row. */
export type CsvColumn<Row> = readonly [head: string, value: (row: Row) => CsvValue];

/** Each page becomes part of the file when it arrives, so the browser may move finished parts to disk. */
export async function collectCsv<Row>(
  columns: readonly CsvColumn<Row>[],
  pages: AsyncIterable<readonly Row[]>,
  onProgress: (rows: number) => void,
): Promise<Blob> {
  const head = csvRecord(columns.map(([head]) => head));
  const parts: Blob[] = [new Blob(["\uFEFF", head])]; // the byte order mark tells Excel that it is UTF-8
  let rows = 0;
  for await (const page of pages) {
    const records = page.map((row) => csvRecord(columns.map(([, value]) => value(row))));
    parts.push(new Blob([records.join("")]));
    rows += page.length;
    onProgress(rows);
  }
  return new Blob(parts, { type: "text/csv;charset=utf-8" });
}
