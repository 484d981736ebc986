interface ChoiceBarProps<Value extends string> {
  legend: string;
  name: string;
  value: Value;
  options: readonly { value: Value; label: string }[];
  onChoose: (value: Value) => void;
}

/** A choice between a few options, side by side. Native radios, so arrow keys work without code. */
export function ChoiceBar<Value extends string>(props: ChoiceBarProps<Value>) {
  const { legend, name, value, options, onChoose } = props;
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 text-sm font-semibold">{legend}</legend>
      <div className="flex border-2 border-ink bg-sheet">
        {options.map((option) => (
          <label
            key={option.value}
            className="relative flex min-h-10 grow cursor-pointer items-center justify-center px-4 font-semibold not-first:border-l-2 not-first:border-ink hover:bg-paper-deep has-checked:bg-ink has-checked:text-paper has-focus-visible:outline-3 has-focus-visible:outline-offset-3 has-focus-visible:outline-(--focus)"
          >
            <input
              type="radio"
              name={name}
              value={option.value}
              checked={option.value === value}
              onChange={() => onChoose(option.value)}
              className="absolute inset-0 m-0 cursor-pointer opacity-0"
            />
            {option.label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
