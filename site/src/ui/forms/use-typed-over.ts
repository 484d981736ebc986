import { useState } from "react";
import { differences } from "#lib/differences.ts";

/**
 * Fields that start with the data that was read. Edited fields keep their text when the data is refetched, and the
 * others follow it.
 */
export function useTypedOver<Fields extends object>(read: Fields) {
  const [typed, setTyped] = useState<Partial<Fields>>({});
  const fields: Fields = { ...read, ...typed };
  return {
    fields,
    type: (change: Partial<Fields>) => setTyped((before) => ({ ...before, ...change })),
    /** Call it once `sent` is saved and refetched. What was typed in the meantime stays. */
    settle: (sent: Fields) => setTyped((before) => differences(sent, before)),
  };
}
