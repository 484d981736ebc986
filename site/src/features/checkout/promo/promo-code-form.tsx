// The field for the code, below the order's lines. What was typed stays until it is applied or removed. Apply, Enter and leaving the
// field apply it.
import { useEffect, useRef, useState } from "react";
import { Button } from "#ui/basics/button.tsx";
import { Input } from "#ui/forms/input.tsx";
import type { PromoQuote } from "./use-promo-quote.ts";

/** The id of the order line that replaces this form. */
export const PROMO_LINE = "promo-line";
const FIELD = "promo-code";

/** A buyer who types a code and continues without pressing Apply expects the discount: leaving the field applies it. */
export function leavePromoField(): void {
  const { activeElement } = document;
  if (activeElement instanceof HTMLElement && activeElement.id === FIELD) activeElement.blur();
}

export function focusPromoField(): void {
  document.getElementById(FIELD)?.focus();
}

interface PromoCodeFormProps {
  quote: PromoQuote;
  /** The cart's code, as it was typed. */
  typed: string | undefined;
  onType: (code: string | undefined) => void;
}

export function PromoCodeForm({ quote, typed, onType }: PromoCodeFormProps) {
  const [text, setText] = useState(typed ?? "");
  // A removed code must not stay in the field, where leaving it would apply it again.
  const [known, know] = useState(typed);
  if (typed !== known) {
    know(typed);
    setText(typed ?? "");
  }
  const { field, press } = useKeptPlace(quote);
  if (quote.state === "applied") return null;
  const problem = text.trim().toUpperCase() === (typed ?? "").toUpperCase() ? quote.message : undefined;
  const code = text.trim();
  function apply() {
    if (code !== "" && code === typed) quote.retry();
    else onType(code === "" ? undefined : code);
  }
  return (
    <form
      className="mt-5 border-t-2 border-dotted border-paper/35 pt-4"
      onSubmit={(event) => {
        event.preventDefault();
        press();
        if (quote.state !== "checking") apply();
      }}
    >
      <label htmlFor={FIELD} className="font-semibold">
        Promo code
      </label>
      <div className="mt-1.5 flex gap-2">
        <Input
          ref={field}
          id={FIELD}
          value={text}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          className="flex-1"
          aria-invalid={problem ? true : undefined}
          aria-describedby={problem ? `${FIELD}-problem` : undefined}
          onChange={(event) => setText(event.target.value)}
          onBlur={({ currentTarget, relatedTarget }) => {
            // When focus moves to the Apply button, its press applies the code.
            if (code !== (typed ?? "") && !currentTarget.form?.contains(relatedTarget)) apply();
          }}
        />
        <Button type="submit" variant="highlight" busy={quote.state === "checking"}>
          Apply
        </Button>
      </div>
      {problem && (
        <p id={`${FIELD}-problem`} role="alert" className="mt-2 border-l-4 border-brisket pl-2 font-semibold">
          {problem}
        </p>
      )}
    </form>
  );
}

/** The form and the code's line replace each other, and focus moves along. */
function useKeptPlace({ state }: PromoQuote) {
  const field = useRef<HTMLInputElement>(null);
  /** Applied here, and not before the page was opened. */
  const pressed = useRef(false);
  const shown = useRef(state);
  useEffect(() => {
    const before = shown.current;
    shown.current = state;
    // Leave the focus with a user who has moved on in the meantime.
    if (before === state || document.activeElement !== document.body) return;
    if (state === "applied" && pressed.current) document.getElementById(PROMO_LINE)?.focus();
    if (state === "none") field.current?.focus();
  }, [state]);
  return { field, press: () => void (pressed.current = true) };
}
