import { expect, it, vi } from "vitest";
import type { FunctionErrorCode } from "contract/errors";
import { callFunction, FunctionError } from "./functions.ts";

const invoke = vi.hoisted(() => vi.fn());
vi.mock("./supabase.ts", () => ({
  getSupabase: async () => ({
    functions: { invoke },
    auth: { getSession: async () => ({ data: { session: null } }), signOut: async () => ({}) },
  }),
}));

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

it.each<[FunctionErrorCode, number, boolean]>([
  ["internal_error", 500, true],
  ["too_busy", 503, false],
  ["order_not_found", 404, false],
  ["invalid_request", 400, false],
])("names the request of %s (%i): %s", async (code, status, isNamed) => {
  const body = { success: false, error: { code, message: "No." } };
  const response = Response.json(body, { status, headers: { "x-request-id": "1a2b3c4d-5e6f" } });
  invoke.mockResolvedValue({ data: null, error: { context: response }, response });
  await expect(callFunction("create-payment-intent")).rejects.toMatchObject({
    message: isNamed ? "No. (Reference: 1a2b3c4d)" : "No.",
  });
});
