// The state of editing one section: what is typed, the version it is based on, and the result of saving. Edits stay until
// they are saved, published or discarded. A conflict does not change them.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { festivalShapes, sectionProblems } from "contract/festival/sections";
import { toast } from "#ui/overlays/toast.ts";
import { cleaned, codeProblems, type Section, sectionNames } from "./model.ts";
import { FESTIVAL_KEY, publish, saveDraft, SectionConflict } from "./queries.ts";

export interface Typed {
  content: unknown;
  /** The version it is based on. */
  version: number;
}

export type TypedChange = (before: Typed | undefined) => Typed | undefined;

type Work = "saving" | "publishing" | "discarding";

interface Outcome {
  /** The current section, after someone else saved first. */
  conflict?: Section;
  failure?: string;
}

/** `typed` is undefined while nothing has been typed since the last save. */
export function useSectionEdit(
  section: Section,
  typed: Typed | undefined,
  onTyped: (change: TypedChange) => void,
  isCodeFixed: boolean,
) {
  const { act, keep, busy, outcome, setOutcome } = useWork((saved) =>
    // Keep what was typed in the meantime, now based on the saved version.
    onTyped((since) => (since === typed ? undefined : since && { ...since, version: saved.version })),
  );
  const [isChecked, setIsChecked] = useState(false);
  const base = section.draft ?? section.content;
  const value = typed?.content ?? base;
  const content = cleaned(value, festivalShapes[section.id]);
  const problems = [
    ...sectionProblems(section.id, content),
    ...(isCodeFixed ? codeProblems(section, content) : []),
  ];
  const seen = { id: section.id, version: typed?.version ?? section.version };

  /** Ends a conflict: continues with `next`, based on the current version. */
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
    /** Returns whether there is nothing to correct. */
    check: () => {
      setIsChecked(true);
      return problems.length === 0;
    },
    publish: () =>
      void act(
        "publishing",
        () => publish(seen, content),
        `${sectionNames[section.id].name} published`,
        // All pages are rendered first, which took up to 18 s on a busy machine.
        "Visitors will see it within 30 seconds.",
      ),
    keepMine: () => settle((theirs) => ({ content: value, version: theirs.version })),
    takeTheirs: () => settle(() => undefined),
  };
}

/** Saves, publishes or discards, one at a time, and keeps the result. */
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
