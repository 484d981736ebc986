// The Prefer header (RFC 7240): which preferences exist, which were given, and which the response reports as
// applied.

const CHOICES = {
  resolution: ["merge-duplicates", "ignore-duplicates"],
  return: ["representation", "minimal", "headers-only"],
  count: ["exact", "planned", "estimated"],
  tx: ["commit", "rollback"],
  missing: ["default", "null"],
  handling: ["strict", "lenient"],
} as const;

export interface Preferences {
  readonly resolution?: (typeof CHOICES.resolution)[number];
  readonly return?: (typeof CHOICES.return)[number];
  readonly count?: (typeof CHOICES.count)[number];
  readonly missing?: (typeof CHOICES.missing)[number];
  readonly handling?: (typeof CHOICES.handling)[number];
  readonly tx?: (typeof CHOICES.tx)[number];
  /** A name that PostgreSQL may not know; `withKnownTimezone` looks it up. */
  readonly timezone?: string;
  readonly maxAffected?: number;
  /** Unknown preferences: an error with handling=strict, otherwise ignored. */
  readonly unknown: readonly string[];
}

/**
 * If a preference is repeated, the first one counts. `tx` is unknown to a service that does not let clients choose.
 */
export function parsePreferences(header: string | null, mayChooseEnd: boolean): Preferences {
  if (header === null) return NO_PREFERENCES;
  const found: Record<string, string | number> = {};
  const unknown: string[] = [];
  for (const preference of header.split(",").map((part) => part.trim())) {
    if (preference === "") continue;
    const [name = "", value = ""] = preference.split("=", 2);
    if (name === "max-affected") {
      if (/^\d+$/.test(value)) found.maxAffected ??= Number(value);
    } else if (name === "timezone") found.timezone ??= value;
    else if (name === "tx" && !mayChooseEnd) {
      // Commit is the default anyway. Any other choice is unknown here, and refused under handling=strict.
      if (value !== "commit") unknown.push(preference);
    } else if (isChoice(name, value)) found[name] ??= value;
    else unknown.push(preference);
  }
  return { ...found, unknown };
}

const NO_PREFERENCES: Preferences = { unknown: [] };

/** A time zone that PostgreSQL does not know is an unknown preference. */
export function withKnownTimezone(preferences: Preferences, zones: ReadonlySet<string>): Preferences {
  const { timezone, ...rest } = preferences;
  if (timezone === undefined || zones.has(timezone)) return preferences;
  return { ...rest, unknown: [...rest.unknown, `timezone=${timezone}`] };
}

const isChoice = (name: string, value: string): boolean =>
  Object.hasOwn(CHOICES, name) &&
  (CHOICES[name as keyof typeof CHOICES] as readonly string[]).includes(value);

type Applicable = Exclude<keyof Preferences, "unknown">;

/** The value of Preference-Applied; undefined where none was applied. */
export function appliedPreferences(
  preferences: Preferences,
  applicable: readonly Applicable[],
): string | undefined {
  const order: Applicable[] = [
    ...(["resolution", "missing", "return", "count", "tx", "handling", "timezone", "maxAffected"] as const),
  ];
  const applied = order
    .filter((name) => applicable.includes(name) && preferences[name] !== undefined)
    .filter((name) => name !== "maxAffected" || preferences.handling === "strict")
    .map((name) => `${name === "maxAffected" ? "max-affected" : name}=${preferences[name]}`);
  return applied.length > 0 ? applied.join(", ") : undefined;
}
