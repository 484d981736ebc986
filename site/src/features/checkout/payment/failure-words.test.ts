import { expect, it } from "vitest";
import { FunctionError } from "#lib/api/functions.ts";
import { openingFailureWords } from "./failure-words.ts";

const refused = (path: string, message: string) =>
  new FunctionError({
    code: "invalid_request",
    message: `${path}: ${message}`,
    details: { issues: [{ path, message }] },
  });

it.each([
  [refused("items.0.id", "Invalid UUID"), /^An item in your cart can't be ordered/],
  [refused("attendees.2.email", "Valid email is required"), /^Attendee 3: Valid email is required\.$/],
  [refused("buyerInfo.phone", "Valid phone number is required"), /^Buyer information: Valid phone/],
  [
    refused("totalAmount", "Too big: expected number to be <=1000000"),
    /^Something you entered was not accepted/,
  ],
  [new TypeError("Failed to fetch"), /^The server could not be reached/],
  [new SyntaxError("Unexpected token '<'"), /^The server could not be reached/],
  [new FunctionError(), /^The server could not be reached/],
  [new Error(""), /^Unable to initialize payment$/],
  [new Error("Please wait 4 seconds and try again."), /^Please wait 4 seconds/],
])("explains %s in a sentence", (error, words) => {
  expect(openingFailureWords(error)).toMatch(words);
});
