// Which refusals are faults of the server, and logged as errors.
import { expect, it } from "vitest";
import { ServiceError } from "../../platform/errors.ts";
import type { Log } from "../../platform/log.ts";
import { refusalOf } from "./refusals.ts";

const lines: string[] = [];
const log: Log = { debug() {}, info() {}, warn() {}, error: (_, message) => lines.push(message) };

it.each([
  [503, "service_unavailable", []],
  [504, "PGRST003", []],
  [500, "unexpected_failure", ["auth request refused"]],
])("a refusal with %i (%s) is logged as %j", (status, code, expected) => {
  lines.length = 0;
  const error = new ServiceError(status, code, "no");
  expect(refusalOf({ log }, error, "a request")).toBe(error);
  expect(lines).toEqual(expected);
});

it("a database without room is a refusal to try again, and is logged", () => {
  lines.length = 0;
  const full = Object.assign(new Error("could not extend file"), { code: "53100" });
  expect(refusalOf({ log }, full, "a request")).toMatchObject({ status: 503, code: "unexpected_failure" });
  expect(lines).toEqual(["auth request failed"]);
});
