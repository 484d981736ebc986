// The Prefer header (RFC 7240): which preferences exist, which were given, and which the answer says it applied.

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
  readonly maxAffected?: number;
  /** Unknown ones: an error with handling=strict, otherwise nothing. */
  readonly unknown: readonly string[];
}

/** Of a preference given twice the first counts. `tx` is read and ignored: the service always commits. */
export function parsePreferences(header: string | null): Preferences {
  const found: Record<string, string | number> = {};
  const unknown: string[] = [];
  for (const preference of (header ?? "").split(",").map((part) => part.trim())) {
    if (preference === "") continue;
    const [name = "", value = ""] = preference.split("=", 2);
    if (name === "max-affected" && /^\d+$/.test(value)) found.maxAffected ??= Number(value);
    else if (isChoice(name, value)) found[name] ??= value;
    else unknown.push(preference);
  }
  return { ...found, unknown };
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
  const order: Applicable[] = ["resolution", "missing", "return", "count", "handling", "maxAffected"];
  const applied = order
    .filter((name) => applicable.includes(name) && preferences[name] !== undefined)
    .filter((name) => name !== "maxAffected" || preferences.handling === "strict")
    .map((name) => `${name === "maxAffected" ? "max-affected" : name}=${preferences[name]}`);
  return applied.length > 0 ? applied.join(", ") : undefined;
}
