import { Select } from "../forms/input.tsx";
import { AS_CHOSEN } from "../forms/read-note.tsx";

interface FilterSelectProps {
  label: string;
  /** Undefined when no filter is set. */
  value: string | undefined;
  /** The label of the option without a filter. */
  all: string;
  /** Undefined until they are loaded. */
  options: readonly { value: string; label: string }[] | undefined;
  /** Receives "" for no filter. */
  onChoose: (value: string) => void;
}

/** A filter above a list, next to its search. */
export function FilterSelect({ label, value = "", all, options, onChoose }: FilterSelectProps) {
  const isListed = value === "" || options?.some((one) => one.value === value);
  return (
    <Select
      dense
      className="w-full min-w-0 sm:max-w-56 sm:grow sm:basis-40"
      aria-label={label}
      value={value}
      onChange={(event) => onChoose(event.target.value)}
    >
      <option value="">{all}</option>
      {!isListed && <option value={value}>{options ? "No longer there" : AS_CHOSEN}</option>}
      {options?.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </Select>
  );
}
