// The festival's facts for mails and entry codes, as currently published.
import { type Content, contentOf, type Festival, festivalOf } from "contract/festival/facts";
import type { FunctionDeps } from "./deps.ts";

export async function readFestival({ sql }: Pick<FunctionDeps, "sql">): Promise<Festival> {
  return festivalOf(await sql("festival_facts", {}));
}

/** The festival with the texts of its pages. */
export async function readContent({ sql }: Pick<FunctionDeps, "sql">): Promise<Content> {
  return contentOf(await sql("get_festival", {}));
}
