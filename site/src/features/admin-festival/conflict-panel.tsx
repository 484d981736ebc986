import { formatZonedMoment } from "#lib/format.ts";
import { Button } from "#ui/basics/button.tsx";
import { differences, type Section, spokenPath } from "./model.ts";

interface ConflictPanelProps {
  mine: unknown;
  theirs: Section;
  onKeepMine: () => void;
  onTakeTheirs: () => void;
}

const MOST = 8;

/** Someone else saved first. Shows both versions, and the organizer chooses one. */
export function ConflictPanel({ mine, theirs, onKeepMine, onTakeTheirs }: ConflictPanelProps) {
  const found = differences(mine, theirs.draft ?? theirs.content);
  const did = theirs.draft ? "saved a draft of" : "published";
  return (
    <div
      role="alert"
      tabIndex={-1}
      ref={(panel) => panel?.focus({ preventScroll: false })}
      className="mb-4 border-l-8 border-candy bg-paper-deep p-4 outline-none"
    >
      <p className="font-bold wrap-anywhere">
        {theirs.updated_by ?? "Someone else"} {did} this section on {formatZonedMoment(theirs.updated_at)},
        while you were editing.
      </p>
      <p className="mt-1">Nothing is lost: your version is in the form, and theirs is saved.</p>
      {found.length > 0 && (
        <dl className="mt-3 grid gap-2">
          {found.slice(0, MOST).map(({ path, mine: yours, theirs: other }) => (
            <div key={path}>
              <dt className="text-sm font-semibold">{spokenPath(path)}</dt>
              <dd className="text-sm wrap-anywhere">
                Yours: <q dir="auto">{yours}</q>
              </dd>
              <dd className="text-sm wrap-anywhere">
                Theirs: <q dir="auto">{other}</q>
              </dd>
            </div>
          ))}
          {found.length > MOST && <p className="text-sm">And {found.length - MOST} more.</p>}
        </dl>
      )}
      <div className="mt-4 flex flex-wrap gap-3">
        <Button size="small" onClick={onKeepMine}>
          Keep Mine
        </Button>
        <Button size="small" variant="secondary" onClick={onTakeTheirs}>
          Use Theirs
        </Button>
      </div>
    </div>
  );
}
