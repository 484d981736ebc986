import { useState } from "react";

/** Fields that begin with what was read. What is typed stays when that is read again, and the others follow it. */
export function useTypedOver<Fields extends object>(read: Fields) {
  const [typed, setTyped] = useState<Partial<Fields>>({});
  const fields: Fields = { ...read, ...typed };
  return {
    fields,
    type: (change: Partial<Fields>) => setTyped((before) => ({ ...before, ...change })),
    /** Once `sent` is saved and read again. What was typed meanwhile stays. */
    settle: (sent: Fields) => setTyped((before) => without(before, sent)),
  };
}

function without<Fields extends object>(typed: Partial<Fields>, sent: Fields): Partial<Fields> {
  const names = Object.keys(typed) as (keyof Fields)[];
  const since = names.filter((name) => typed[name] !== sent[name]);
  return Object.fromEntries(since.map((name) => [name, typed[name]])) as Partial<Fields>;
}
