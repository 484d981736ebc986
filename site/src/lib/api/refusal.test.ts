import { expect, it } from "vitest";
import { isUnanswered } from "./refusal.ts";

it.each([
  "AbortError",
  "AuthRetryableFetchError",
  "AuthUnknownError",
  "SyntaxError",
  "TimeoutError",
  "TypeError",
])("takes %s for a response that never came, whatever its code", (name) => {
  expect(isUnanswered({ name, code: "23505", message: "" })).toBe(true);
});

it("takes a nameless error with a code for a refusal", () => {
  expect(isUnanswered({ code: "23505", message: "" })).toBe(false);
  expect(isUnanswered({ message: "502" })).toBe(true);
  expect(isUnanswered({ name: "AuthApiError", message: "" })).toBe(false);
});
