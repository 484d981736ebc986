/** The fields of `after` that differ from `before`. A save of these alone keeps what somebody else changed in the others. */
export function differences<Fields extends object>(before: Fields, after: Partial<Fields>): Partial<Fields> {
  const names = Object.keys(after) as (keyof Fields)[];
  const changed = names.filter((name) => JSON.stringify(after[name]) !== JSON.stringify(before[name]));
  return Object.fromEntries(changed.map((name) => [name, after[name]])) as Partial<Fields>;
}
