import { useLayoutEffect, useRef, type ComponentProps } from "react";
import { Field } from "#ui/forms/field.tsx";
import { Input } from "#ui/forms/input.tsx";
import {
  digitsOf,
  formatCardNumber,
  formatCvc,
  formatExpiry,
  type CardEntry,
  type CardErrors,
} from "./card-format.ts";

interface CardFieldsProps {
  card: CardEntry;
  errors: CardErrors;
  onChange: (card: CardEntry) => void;
  /** True while the payment is in progress. */
  readOnly: boolean;
}

/** Number, expiry and security code. */
export function CardFields({ card, errors, onChange, readOnly }: CardFieldsProps) {
  return (
    <div className="grid grid-cols-2 items-start gap-4">
      <Field label="Card number" required error={errors.number} className="col-span-2">
        <DigitsInput
          name="cardnumber"
          autoComplete="cc-number"
          placeholder="1234 1234 1234 1234"
          value={card.number}
          readOnly={readOnly}
          format={formatCardNumber}
          onValue={(number) => onChange({ ...card, number })}
        />
      </Field>
      <Field label="Expiry" required error={errors.expiry}>
        <DigitsInput
          name="exp-date"
          autoComplete="cc-exp"
          placeholder="MM / YY"
          value={card.expiry}
          readOnly={readOnly}
          format={formatExpiry}
          onValue={(expiry) => onChange({ ...card, expiry })}
        />
      </Field>
      <Field label="CVC" required error={errors.cvc}>
        <DigitsInput
          name="cvc"
          autoComplete="cc-csc"
          placeholder="123"
          value={card.cvc}
          readOnly={readOnly}
          format={formatCvc}
          onValue={(cvc) => onChange({ ...card, cvc })}
        />
      </Field>
    </div>
  );
}

interface DigitsInputProps extends Omit<ComponentProps<"input">, "onChange"> {
  value: string;
  format: (typed: string) => string;
  onValue: (value: string) => void;
}

/** Formats input as it is typed. The caret stays behind the same digit, even in the middle of a number. */
function DigitsInput({ value, format, onValue, ...rest }: DigitsInputProps) {
  const input = useRef<HTMLInputElement>(null);
  const digitsBefore = useRef<number>(undefined);
  useLayoutEffect(() => {
    if (digitsBefore.current === undefined) return;
    const caret = afterDigits(value, digitsBefore.current);
    digitsBefore.current = undefined;
    input.current?.setSelectionRange(caret, caret);
  });
  return (
    <Input
      {...rest}
      ref={input}
      type="text"
      inputMode="numeric"
      spellCheck={false}
      className="tabular-nums"
      value={value}
      onChange={({ target }) => {
        const caret = target.selectionStart ?? target.value.length;
        if (caret < target.value.length) digitsBefore.current = digitsOf(target.value.slice(0, caret)).length;
        onValue(format(target.value));
      }}
    />
  );
}

function afterDigits(text: string, count: number): number {
  if (count === 0) return 0;
  let seen = 0;
  for (let at = 0; at < text.length; at++) {
    if (/\d/.test(text.charAt(at)) && ++seen === count) return at + 1;
  }
  return text.length;
}
