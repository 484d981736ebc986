import { useState } from "react";

/** The texts of a small form, and what its inputs need of each. */
export function useTypedText<Fields extends Readonly<Record<string, string>>>(
  first: Fields,
  onType?: () => void,
) {
  const [typed, setTyped] = useState(first);
  const change = (field: keyof Fields, text: string) => {
    setTyped({ ...typed, [field]: text });
    onType?.();
  };
  const control = (field: keyof Fields) => ({
    value: typed[field],
    onChange: ({ target }: { target: { value: string } }) => change(field, target.value),
  });
  return { typed, change, control };
}
