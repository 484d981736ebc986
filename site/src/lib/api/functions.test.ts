import { expect, it } from "vitest";
import { FunctionError } from "./functions.ts";

const refusal = (issues: unknown) =>
  new FunctionError({ code: "invalid_request", message: "The request is not valid.", details: { issues } });

it("shows the first refused entry, and the refusal's own message when entries have another shape", () => {
  const entry = { path: "email", message: "Valid email is required" };
  expect(refusal([entry])).toMatchObject({ message: "Valid email is required", issues: [entry] });
  for (const issues of [[{}], [null], [{ path: "email", message: 5 }], "email", undefined]) {
    expect(refusal(issues)).toMatchObject({ message: "The request is not valid.", issues: [] });
  }
});

it("names the request, so that staff can find it in the log", () => {
  const error = new FunctionError(
    { code: "internal_error", message: "Please try again." },
    { reference: "1a2b3c4d" },
  );
  expect(error.message).toBe("Please try again. (Reference: 1a2b3c4d)");
});
