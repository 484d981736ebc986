// The festival's facts for mails and entry codes, as currently published.
import { type Content, contentOf, type Festival, festivalOf } from "contract/festival/facts";
import type { SectionId, SectionOf } from "contract/festival/sections";
import type { FunctionDeps } from "./deps.ts";
import { rowsOf } from "./database.ts";

export async function readFestival({ supabase }: Pick<FunctionDeps, "supabase">): Promise<Festival> {
  const query = supabase.from("festival_sections").select("content").eq("id", "facts");
  const { content } = await rowsOf("festival", query.single<{ content: SectionOf<"facts"> }>());
  return festivalOf(content);
}

/** The festival with the texts of its pages. */
export async function readContent({ supabase }: Pick<FunctionDeps, "supabase">): Promise<Content> {
  const query = supabase.from("festival_sections").select("id, content");
  const sections = await rowsOf(
    "festival",
    query.overrideTypes<{ id: SectionId; content: never }[], { merge: false }>(),
  );
  return contentOf(Object.fromEntries(sections.map(({ id, content }) => [id, content])));
}
