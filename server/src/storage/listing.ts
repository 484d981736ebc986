// list-v2: the format of one page of a bucket, and the cursor to the next. Hides storage-api's cursor format.
import type { Executor } from "../postgres/executor.ts";
import { invalidParameter } from "./errors.ts";
import { type Entry, type Page, pageOf } from "./list-queries.ts";

export interface PageRequest {
  readonly prefix: string;
  readonly with_delimiter: boolean;
  readonly exactMatch: boolean;
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly sortBy: { readonly column: Page["column"]; readonly order: Page["order"] };
}

/** A cursor keeps the order of its first page, whatever later requests say. Throws InvalidParameter for an invalid cursor. */
export async function listPage(tx: Executor, bucket: string, request: PageRequest) {
  const cursor = request.cursor ? readCursor(request.cursor) : undefined;
  const page: Page = {
    prefix: request.prefix,
    folded: request.with_delimiter,
    exact: request.exactMatch,
    column: cursor?.column ?? request.sortBy.column,
    order: cursor?.order ?? request.sortBy.order,
    after: cursor,
    limit: request.limit + 1,
  };
  const found = await pageOf(tx, bucket, page);
  const entries = found.slice(0, request.limit);
  const hasNext = found.length > request.limit;
  const last = entries.at(-1);
  const shown = (entry: Entry) => (page.folded ? { key: lastPart(entry.name), ...entry } : entry);
  return {
    hasNext,
    ...(hasNext && last ? { nextCursor: writeCursor(page, last) } : {}),
    folders: entries
      .filter(isFolder)
      .map(({ name }) => ({ ...(page.folded ? { key: lastPart(name) } : {}), name })),
    objects: entries.filter((entry) => !isFolder(entry)).map((entry) => withoutTime(shown(entry))),
  };
}

const isFolder = (entry: Entry) => entry.id === null;

const lastPart = (name: string) => name.replace(/\/$/, "").split("/").at(-1)!;

const withoutTime = ({ at: _, ...entry }: Entry) => entry;

const COLUMNS: ReadonlySet<string> = new Set(["name", "created_at", "updated_at"]);

function writeCursor({ column, order }: Page, { name, at }: Entry): string {
  const lines = [`l:${name}`, `o:${order}`, `c:${column}`, ...(at ? [`a:${at.toISOString()}`] : [])];
  return Buffer.from(lines.join("\n")).toString("base64");
}

function readCursor(cursor: string): {
  name: string;
  column: Page["column"];
  order: Page["order"];
  at: string | undefined;
} {
  const parts = new Map<string, string>();
  for (const line of Buffer.from(cursor, "base64").toString().split("\n")) {
    const [, letter, value] = /^([loca]):(.*)$/.exec(line) ?? [];
    if (letter === undefined) throw invalidParameter("Invalid continuation token");
    parts.set(letter, value!);
  }
  const [name, order = "asc", column = "name", at] = ["l", "o", "c", "a"].map((letter) => parts.get(letter));
  const isTime = column !== "name";
  const isOdd =
    name === undefined || name.includes("\0") || !["asc", "desc"].includes(order) || !COLUMNS.has(column);
  if (isOdd || (isTime && Number.isNaN(Date.parse(at ?? ""))))
    throw invalidParameter("Invalid continuation token");
  return {
    name: name,
    column: column as Page["column"],
    order: order as Page["order"],
    at: isTime ? at : undefined,
  };
}
