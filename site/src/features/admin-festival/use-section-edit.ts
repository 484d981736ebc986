// One section while it is edited: what is typed, what it was based on, and what came of saving. What is typed stays until it
// is saved, published or thrown away by hand; a conflict changes none of it.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { festivalShapes, sectionProblems } from "contract/festival-sections";
import { toast } from "#ui/overlays/toast.ts";
import { cleaned, type Section, sectionNames } from "./model.ts";
import { FESTIVAL_KEY, publish, saveDraft, SectionConflict } from "./queries.ts";

export interface Typed {
  content: unknown;
  /** The version it was typed over. */
  version: number;
}

export type TypedChange = (before: Typed | undefined) => Typed | undefined;

type Work = "saving" | "publishing" | "discarding";

interface Outcome {
  /** What is there now, after somebody else was faster. */
  conflict?: Section;
  failure?: string;
}

/** `typed` is undefined while nothing was typed since the last save. */
export function useSectionEdit(
  section: Section,
  typed: Typed | undefined,
  onTyped: (change: TypedChange) => void,
) {
  const { act, keep, busy, outcome, setOutcome } = useWork((saved) =>
    // What was typed meanwhile stays, over what is there now.
    onTyped((since) => (since === typed ? undefined : since && { ...since, version: saved.version })),
  );
  const [isChecked, setIsChecked] = useState(false);
  const base = section.draft ?? section.content;
  const value = typed?.content ?? base;
  const content = cleaned(value, festivalShapes[section.id]);
  const problems = sectionProblems(section.id, content);
  const seen = { id: section.id, version: typed?.version ?? section.version };

  /** Ends a conflict: goes on with `next` over what is there now. */
  function settle(next: (theirs: Section) => Typed | undefined): void {
    const { conflict } = outcome;
    if (!conflict) return;
    onTyped(() => next(conflict));
    keep(conflict);
    setOutcome({});
  }

  return {
    value,
    content,
    problems: isChecked ? problems : [],
    busy,
    ...outcome,
    change: (next: unknown) => onTyped(() => ({ content: next, version: seen.version })),
    save: () => act("saving", () => saveDraft(seen, content), "Draft saved"),
    discard: () => act("discarding", () => saveDraft(seen, null), "Draft discarded"),
    /** Answers whether there is nothing to correct. */
    check: () => {
      setIsChecked(true);
      return problems.length === 0;
    },
    publish: () =>
      void act(
        "publishing",
        () => publish(seen, content),
        `${sectionNames[section.id].name} published`,
        // All pages are rendered again first: 18 s were seen on a busy machine.
        "Visitors see it within half a minute.",
      ),
    keepMine: () => settle((theirs) => ({ content: value, version: theirs.version })),
    takeTheirs: () => settle(() => undefined),
  };
}

/** Saving, publishing or discarding, one at a time, and what came of it. */
function useWork(onDone: (saved: Section) => void) {
  const queryClient = useQueryClient();
  const [outcome, setOutcome] = useState<Outcome>({});
  const [busy, setBusy] = useState<Work>();

  function keep(now: Section): void {
    queryClient.setQueryData<Section[]>(FESTIVAL_KEY, (sections) =>
      sections?.map((one) => (one.id === now.id ? now : one)),
    );
  }

  async function act(
    kind: Work,
    call: () => Promise<Section>,
    ...done: Parameters<typeof toast.success>
  ): Promise<void> {
    if (busy) return;
    setBusy(kind);
    setOutcome({});
    try {
      const saved = await call();
      keep(saved);
      onDone(saved);
      toast.success(...done);
    } catch (error) {
      if (error instanceof SectionConflict) setOutcome({ conflict: error.theirs });
      else setOutcome({ failure: error instanceof Error ? error.message : String(error) });
    } finally {
      setBusy(undefined);
    }
  }

  return { act, keep, busy, outcome, setOutcome };
}

export type SectionEdit = ReturnType<typeof useSectionEdit>;
