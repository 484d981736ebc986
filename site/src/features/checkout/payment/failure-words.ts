// The message a buyer reads when the payment could not be opened, whatever was thrown.
import { FunctionError } from "#lib/api/functions.ts";
import { isUnanswered, UNREACHABLE } from "#lib/api/refusal.ts";

export const NOT_OPENED = "Unable to initialize payment";

export function openingFailureWords(error: unknown): string {
  if (error instanceof FunctionError) {
    return error.code === "invalid_request" ? refusedEntry(error) : error.message;
  }
  if (!(error instanceof Error)) return NOT_OPENED;
  // The messages of fetch and JSON ("Failed to fetch", "Load failed", "Unexpected token") mean nothing to a buyer.
  return isUnanswered(error) ? UNREACHABLE : error.message || NOT_OPENED;
}

/** The server names the first entry it refuses by its path in the request. */
function refusedEntry({ message, issues }: FunctionError): string {
  const [area, index] = issues[0]?.path.split(".") ?? [];
  switch (area) {
    case "items":
      return "An item in your cart can't be ordered. Please remove it on the tickets page and choose again.";
    case "attendees":
      return index === undefined ? message : `Attendee ${Number(index) + 1}: ${message}.`;
    case "buyerInfo":
      return `Buyer information: ${message}.`;
    default:
      return message;
  }
}
