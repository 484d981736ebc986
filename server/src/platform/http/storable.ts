// Text that PostgreSQL cannot store: a NUL, or half of a surrogate pair. Refused at the entry, because each place that stores
// text would otherwise have to handle the failure.

/** Whether every string in it, keys included, can be stored. */
function isStorable(value: unknown): boolean {
  if (typeof value === "string") return isStorableText(value);
  if (Array.isArray(value)) return value.every(isStorable);
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([key, member]) => isStorableText(key) && isStorable(member));
}

const isStorableText = (text: string): boolean => !text.includes("\0") && text.isWellFormed();

/** In JSON such text can only come from an escape; without one, nothing is parsed. */
export function isStorableJson(text: string): boolean {
  if (text.includes("\0")) return false;
  if (!/\\u(0000|d[89a-f])/i.test(text)) return true;
  try {
    return isStorable(JSON.parse(text));
  } catch {
    return true; // not JSON: its reader reports that
  }
}
