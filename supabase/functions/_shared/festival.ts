// The festival's facts for mails and entry codes, as they are published at that moment.
import { type Festival, festivalOf } from "contract/festival";
import type { SectionOf } from "contract/festival-sections";
import type { FunctionDeps } from "./deps.ts";
import { rowsOf } from "./rpc.ts";

export async function readFestival({ supabase }: Pick<FunctionDeps, "supabase">): Promise<Festival> {
  const query = supabase.from("festival_sections").select("content").eq("id", "facts");
  const { content } = await rowsOf("festival", query.single<{ content: SectionOf<"facts"> }>());
  return festivalOf(content);
}
