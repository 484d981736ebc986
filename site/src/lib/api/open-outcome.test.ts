import { expect, it } from "vitest";
import { FunctionError } from "./functions.ts";
import { isOpenOutcome } from "./open-outcome.ts";

it("distinguishes a refusal from a missing response", () => {
  const refusal = { code: "rate_limited", message: "Not now." } as const;
  const failed = (cause: unknown) => new Error("words", { cause });
  expect(
    [
      new FunctionError(),
      failed({ message: "", code: "" }),
      failed(new TypeError("Failed to fetch")),
      new FunctionError(refusal),
      failed({ message: "Nothing has changed.", code: "PT409" }),
      new Error("words"),
    ].map(isOpenOutcome),
  ).toEqual([true, true, true, false, false, false]);
});
