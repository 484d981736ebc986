// One code and a button: from an app, a text message or a list. Explains why a code was refused, and selects it for retyping.
import { useEffect, useRef, useState, type ReactNode, type SubmitEvent } from "react";
import { typed } from "#lib/browser/typed.ts";
import { Button } from "../basics/button.tsx";
import { Field } from "./field.tsx";
import { Input } from "./input.tsx";

export interface CodeEntryProps {
  /** The field's name in the form. */
  name: string;
  label: ReactNode;
  hint: string;
  submit: string;
  isNumber?: boolean;
  /** Set where the button that led here is gone. */
  takesFocus?: boolean;
  /** Returns why the code was refused. */
  verify: (code: string) => Promise<string | undefined>;
}

export function CodeEntry({
  name,
  label,
  hint,
  submit: submitLabel,
  isNumber = false,
  takesFocus = false,
  verify,
}: CodeEntryProps) {
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (takesFocus) field.current?.focus();
  }, [takesFocus]);
  async function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const entered = typed(event.currentTarget, "code");
    const code = isNumber ? entered.replaceAll(/\s/g, "") : entered;
    if (code === "") return refuse("Type the code.");
    if (isNumber && !/^\d+$/.test(code)) return refuse("The code has digits only.");
    setBusy(true);
    setProblem(undefined);
    const refused = await verify(code);
    setBusy(false);
    refuse(refused);
  }
  function refuse(reason: string | undefined) {
    setProblem(reason);
    if (reason !== undefined) field.current?.select();
  }
  return (
    <form noValidate aria-label={name} className="space-y-5" onSubmit={(event) => void submit(event)}>
      <Field label={label} hint={hint} required error={problem}>
        <Input
          ref={field}
          name="code"
          autoComplete={isNumber ? "one-time-code" : "off"}
          inputMode={isNumber ? "numeric" : "text"}
          maxLength={isNumber ? 12 : 60}
          autoCapitalize="characters"
          spellCheck={false}
          className="font-semibold tracking-widest tabular-nums"
        />
      </Field>
      <Button type="submit" size="large" block busy={busy}>
        {submitLabel}
      </Button>
    </form>
  );
}
