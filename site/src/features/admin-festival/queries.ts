import { useQuery } from "@tanstack/react-query";
import type { Json } from "contract/database";
import { sectionIds, type SectionId } from "contract/festival/sections";
import { z } from "zod";
import { getSupabase } from "#lib/api/supabase.ts";
import { type FailureReport, parseAnswer, read } from "#lib/lists/back-office-reads.ts";
import { refusalWords } from "#lib/session/refusal-words.ts";
import type { Section } from "./model.ts";

export const FESTIVAL_KEY = ["festival-sections"];

const section = z.object({
  id: z.enum(sectionIds as [SectionId, ...SectionId[]]),
  content: z.unknown(),
  draft: z.unknown(),
  version: z.number(),
  updated_at: z.string(),
  updated_by: z.string().nullable(),
  published_at: z.string(),
  published_by: z.string().nullable(),
}) satisfies z.ZodType<Section>;

export function useFestivalSections() {
  return useQuery({
    queryKey: FESTIVAL_KEY,
    queryFn: async () =>
      parseAnswer(
        "the festival's content",
        z.array(section),
        await read("the festival's content", (supabase) => supabase.rpc("get_festival_drafts")),
      ),
    meta: { failedAs: "FETCH_ERROR_FESTIVAL", table: "festival_sections" } satisfies FailureReport,
  });
}

/** Someone else saved first. Carries the current section. */
export class SectionConflict extends Error {
  readonly theirs: Section;
  constructor(theirs: Section) {
    super("Someone else changed this section.");
    this.name = "SectionConflict";
    this.theirs = theirs;
  }
}

type Seen = Pick<Section, "id" | "version">;

/** Null discards the draft. @throws SectionConflict, or Error with what is wrong */
export const saveDraft = ({ id, version }: Seen, draft: unknown): Promise<Section> =>
  write((supabase) =>
    supabase.rpc("save_festival_draft", { p_section: id, p_version: version, p_draft: draft as Json }),
  );

/** @throws SectionConflict, or Error with what is wrong */
export const publish = ({ id, version }: Seen, content: unknown): Promise<Section> =>
  write((supabase) =>
    supabase.rpc("publish_festival_section", {
      p_section: id,
      p_version: version,
      p_content: content as Json,
    }),
  );

async function write(
  call: (supabase: Awaited<ReturnType<typeof getSupabase>>) => PromiseLike<{
    data: unknown;
    error: { message: string; code: string; details: string } | null;
  }>,
): Promise<Section> {
  const { data, error } = await call(await getSupabase());
  if (error?.code === "PT409") throw new SectionConflict(section.parse(JSON.parse(error.details)));
  if (error) throw new Error(refusalWords(error));
  return section.parse(data);
}
