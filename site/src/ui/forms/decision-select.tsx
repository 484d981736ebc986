// A choice that takes effect only when it is applied: moving through the options changes nothing, and focus stays here.
import { useLayoutEffect, useRef, useState, type RefObject } from "react";
import { useUnsaved } from "#lib/browser/unsaved.ts";
import { Button } from "../basics/button.tsx";
import { Select } from "./input.tsx";

interface DecisionSelectProps<Value extends string> {
  /** Names the choice and the button that applies it. */
  label: string;
  value: Value;
  options: readonly { value: Value; label: string }[];
  busy: boolean;
  /** Settles once `value` shows the outcome. */
  onApply: (value: Value) => Promise<unknown>;
}

export function DecisionSelect<Value extends string>({
  label,
  value,
  options,
  busy,
  onApply,
}: DecisionSelectProps<Value>) {
  // Counts only for the value it was chosen over, so no reset needs to come with a new value. In an effect it came too late: after
  // a transition that already showed the new value, it put the former one back, ready to be applied.
  const [choice, setChoice] = useState<{ over: Value; chosen: Value; isApplied?: boolean }>();
  const [isOvertaken, setOvertaken] = useState(false);
  if (choice && !choice.isApplied && choice.over !== value) {
    setChoice(undefined);
    setOvertaken(choice.chosen !== value);
  }
  const draft = choice?.over === value ? choice.chosen : value;
  const isUnsent = draft !== value && !choice?.isApplied;
  useUnsaved(isUnsent);
  const select = useRef<HTMLSelectElement>(null);
  useFocusKeptInList(select);

  async function apply() {
    select.current?.focus();
    setChoice((choice) => choice && { ...choice, isApplied: true });
    await onApply(draft);
    // A refused choice returns to the current value.
    setChoice(undefined);
  }

  return (
    <span className="inline-flex flex-wrap items-center gap-2" data-unsent={isUnsent || undefined}>
      <Select
        ref={select}
        dense
        className="w-36"
        aria-label={label}
        aria-busy={busy || undefined}
        value={draft}
        // Not on focus, which also comes back with the window, before the note was read.
        onPointerDown={() => setOvertaken(false)}
        onKeyDown={() => setOvertaken(false)}
        onChange={(event) => {
          const chosen = options.find((option) => option.value === event.target.value);
          if (!chosen || busy) return;
          setChoice(chosen.value === value ? undefined : { over: value, chosen: chosen.value });
        }}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </Select>
      {draft !== value && (
        <Button size="small" busy={busy} aria-label={`Apply: ${label}`} onClick={() => void apply()}>
          Apply
        </Button>
      )}
      {isOvertaken && (
        <span role="status" className="basis-full text-sm text-ink-soft">
          This changed before you applied your choice.
        </span>
      )}
    </span>
  );
}

/** When the row leaves a filtered list, focus moves to the list instead of getting lost. */
function useFocusKeptInList(select: RefObject<HTMLSelectElement | null>) {
  useLayoutEffect(() => {
    const control = select.current;
    const list = control?.closest<HTMLElement>("[role=region]");
    return () => {
      if (control === document.activeElement) list?.focus();
    };
  }, [select]);
}
