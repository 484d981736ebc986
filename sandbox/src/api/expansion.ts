// Stripe's `expand[]`: replaces an id by the object it refers to, along a path such as
// `payment_intent.latest_charge`.
import type { Family } from "../store/objects.ts";
import { invalidRequest } from "../wire/provider-error.ts";

const EXPANDABLE: Readonly<Record<string, readonly string[]>> = {
  payment_intent: ["latest_charge"],
  charge: ["payment_intent", "balance_transaction"],
  refund: ["charge", "payment_intent", "balance_transaction"],
  dispute: ["charge", "payment_intent"],
  payout: ["balance_transaction"],
  balance_transaction: ["source"],
  "checkout.session": ["payment_intent"],
};
const DEEPEST = 4;

type Expandable = Readonly<Record<string, unknown>>;

/** Throws ProviderError for a path that cannot be expanded. */
export function expand(object: object, paths: readonly string[], family: Family): object {
  return paths.reduce(
    (result, path) => expandPath(result as Expandable, path.split("."), family, path),
    object,
  );
}

/** The paths below `data` of a list. */
export function pathsOfItems(paths: readonly string[]): string[] {
  const wrong = paths.find((path) => !path.startsWith("data."));
  if (wrong !== undefined) throw cannotExpand(wrong);
  return paths.map((path) => path.slice("data.".length));
}

function expandPath(
  object: Expandable,
  [property, ...rest]: string[],
  family: Family,
  path: string,
): Expandable {
  const known = EXPANDABLE[String(object.object)]?.includes(property!) ?? false;
  if (!known || rest.length >= DEEPEST) throw cannotExpand(path);
  const value = object[property!];
  const found = typeof value === "string" ? family.get(value)?.body : (value as Expandable | null);
  if (!found) return object; // null stays null
  const expanded = rest.length > 0 ? expandPath(found as Expandable, rest, family, path) : found;
  return { ...object, [property!]: expanded };
}

function cannotExpand(path: string) {
  return invalidRequest(`This property cannot be expanded (${path}).`, { param: "expand" });
}
