// Text that PostgreSQL cannot keep: a NUL, or half of a surrogate pair. Refused where it comes in, because each place that
// stores text would otherwise have to expect the failure.

/** Whether every string in it, keys included, can be stored. */
function isStorable(value: unknown): boolean {
  if (typeof value === "string") return isStorableText(value);
  if (Array.isArray(value)) return value.every(isStorable);
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([key, member]) => isStorableText(key) && isStorable(member));
}

const isStorableText = (text: string): boolean => !text.includes("\0") && text.isWellFormed();

/** In JSON such text can only hide behind an escape; without one, nothing is parsed. */
export function isStorableJson(text: string): boolean {
  if (text.includes("\0")) return false;
  if (!/\\u(0000|d[89a-f])/i.test(text)) return true;
  try {
    return isStorable(JSON.parse(text));
  } catch {
    return true; // no JSON: for its reader to say
  }
}
