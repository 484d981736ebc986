import { Field } from "#ui/field.tsx";
import { Input } from "#ui/input.tsx";
import { formatCardNumber, formatCvc, formatExpiry } from "./card-format.ts";

export interface CardEntry {
  number: string;
  expiry: string;
  cvc: string;
}

interface CardFieldsProps {
  card: CardEntry;
  onChange: (card: CardEntry) => void;
  disabled: boolean;
}

/** Number, expiry and security code. What is wrong with them is the provider's to say, as with Stripe. */
export function CardFields({ card, onChange, disabled }: CardFieldsProps) {
  return (
    <div className="grid grid-cols-2 gap-4">
      <Field label="Card number" required className="col-span-2">
        <Input
          name="cardnumber"
          inputMode="numeric"
          autoComplete="cc-number"
          placeholder="1234 1234 1234 1234"
          className="tabular-nums"
          value={card.number}
          disabled={disabled}
          onChange={(event) => onChange({ ...card, number: formatCardNumber(event.target.value) })}
        />
      </Field>
      <Field label="Expiry" required>
        <Input
          name="exp-date"
          inputMode="numeric"
          autoComplete="cc-exp"
          placeholder="MM / YY"
          className="tabular-nums"
          value={card.expiry}
          disabled={disabled}
          onChange={(event) => onChange({ ...card, expiry: formatExpiry(event.target.value) })}
        />
      </Field>
      <Field label="CVC" required>
        <Input
          name="cvc"
          inputMode="numeric"
          autoComplete="cc-csc"
          placeholder="123"
          className="tabular-nums"
          value={card.cvc}
          disabled={disabled}
          onChange={(event) => onChange({ ...card, cvc: formatCvc(event.target.value) })}
        />
      </Field>
    </div>
  );
}
