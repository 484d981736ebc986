// The festival's facts and texts, section by section. Edits in one section are kept while another is open.
import { useState, type ReactNode } from "react";
import { Link, useSearchParams } from "react-router";
import { type SectionId, sectionIds } from "contract/festival/sections";
import { useUnsaved } from "#lib/browser/unsaved.ts";
import { Button } from "#ui/basics/button.tsx";
import { classNames } from "#ui/basics/class-names.ts";
import { ScreenHead } from "#ui/page/screen-head.tsx";
import { ErrorState } from "#ui/page/screen-states.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";
import { isSectionId, publishedOf, type Section, sectionNames } from "./model.ts";
import { useFestivalSections } from "./queries.ts";
import { SectionEditor } from "./section-editor.tsx";
import type { Typed } from "./use-section-edit.ts";

interface FestivalScreenProps {
  /** The page that shows a section. */
  pages: Record<SectionId, ReactNode>;
}

export function FestivalScreen({ pages }: FestivalScreenProps) {
  const { data, error, isError, refetch } = useFestivalSections();
  return (
    <>
      <ScreenHead
        title="Festival"
        actions={
          <Button asChild size="small" variant="secondary">
            <Link to="/admin/festival/change">Cancel or Reschedule</Link>
          </Button>
        }
      />
      {data ? (
        <Sections sections={data} pages={pages} />
      ) : isError ? (
        <ErrorState
          title="Error loading the festival's content. Please check your connection and try again."
          cause={error}
          onRetry={() => void refetch()}
        />
      ) : (
        <div role="status">
          <span className="sr-only">Loading the festival's content</span>
          <Skeleton className="h-12" />
          <Skeleton className="mt-4 h-96" />
        </div>
      )}
    </>
  );
}

function Sections({ sections, pages }: FestivalScreenProps & { sections: readonly Section[] }) {
  const [typed, setTyped] = useState<Partial<Record<SectionId, Typed>>>({});
  const [search] = useSearchParams();
  const asked = search.get("section");
  const open = isSectionId(asked) ? asked : "facts";
  const section = sections.find(({ id }) => id === open)!;
  useUnsaved(Object.values(typed).some((one) => one !== undefined));
  return (
    <>
      <nav aria-label="Sections" className="mb-5">
        <ul className="flex flex-wrap gap-1.5">
          {sectionIds.map((id) => {
            const { name } = sectionNames[id];
            const state = typed[id]
              ? "not saved"
              : sections.find((one) => one.id === id)?.draft
                ? "has a draft"
                : undefined;
            return (
              <li key={id}>
                <Link
                  to={`?section=${id}`}
                  replace
                  aria-current={id === open ? "page" : undefined}
                  aria-label={state && `${name}, ${state}`}
                  className={classNames(
                    "flex min-h-11 items-center border-2 border-ink px-3 font-semibold",
                    id === open ? "bg-ink text-paper" : "hover:bg-paper-deep",
                  )}
                >
                  {name}
                  {state && <span className="ml-2 size-2.5 rounded-full bg-candy forced-color-adjust-none" />}
                </Link>
              </li>
            );
          })}
        </ul>
      </nav>
      <SectionEditor
        key={open}
        section={section}
        published={publishedOf(sections)}
        typed={typed[open]}
        onTyped={(change) => setTyped((before) => ({ ...before, [open]: change(before[open]) }))}
        page={pages[open]}
      />
    </>
  );
}
