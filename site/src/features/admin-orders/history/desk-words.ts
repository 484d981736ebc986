// The history's words for actions at the desk or the till.
import { formatPrice } from "#lib/format.ts";
import type { Json } from "contract/database";

type Values = Readonly<Record<string, Json | undefined>>;

/** Without the name of the user; undefined for actions elsewhere. */
export function deskText(before: Json, change: Values): string | undefined {
  const was: Values = typeof before === "object" && before !== null && !Array.isArray(before) ? before : {};
  if (typeof change.voided === "number") {
    const way = change.method === "cash" ? "handed back from the till" : "refunded on the card terminal";
    return `voided the sale; ${formatPrice(change.voided)} to be ${way}: ${text(change.reason)}`;
  }
  if (change.revoked === true) return `revoked the comp: ${text(change.reason)}`;
  if (typeof change.tag === "string") return `added the tag ${change.tag}`;
  if (typeof was.tag === "string") return `removed the tag ${was.tag}`;
  if (typeof change.buyer_email !== "string") return undefined;
  return `changed the buyer from ${person(was)} to ${person(change)}`;
}

const text = (value: Json | undefined): string => (typeof value === "string" ? value : "");

const person = (values: Values): string =>
  `${text(values.buyer_full_name)}, ${text(values.buyer_email) || "no email"}`;
