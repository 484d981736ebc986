import { Select } from "../forms/input.tsx";

interface FilterSelectProps {
  label: string;
  /** Undefined when nothing is filtered. */
  value: string | undefined;
  /** What choosing no filter is called. */
  all: string;
  options: readonly { value: string; label: string }[];
  /** Receives "" for no filter. */
  onChoose: (value: string) => void;
}

/** A filter above a list, beside its search. */
export function FilterSelect({ label, value = "", all, options, onChoose }: FilterSelectProps) {
  return (
    <Select
      dense
      className="w-full min-w-0 sm:max-w-56 sm:grow sm:basis-40"
      aria-label={label}
      value={value}
      onChange={(event) => onChoose(event.target.value)}
    >
      <option value="">{all}</option>
      {options.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </Select>
  );
}
