import { afterEach, expect, it, vi } from "vitest";
import { createCalls, Refused, Unreachable } from "./calls.ts";

vi.mock("#lib/api/supabase.ts", async () => {
  const { createSupabase } = await import("#lib/api/supabase-client.ts");
  const supabase = createSupabase({ url: "http://festival.test", anonKey: "key" }, "session");
  return { getSupabase: async () => supabase };
});

afterEach(() => vi.unstubAllGlobals());

async function failureOf(status: number, code: string, message: string): Promise<unknown> {
  const body = JSON.stringify({ code, message, details: null, hint: null });
  vi.stubGlobal("fetch", async () => new Response(body, { status }));
  return createCalls({ deviceId: "device" })
    .recent()
    .catch((error: unknown) => error);
}

it.each([
  ["22023", 400, "A phone needs a name."],
  ["42501", 403, "The gate is for its crew."],
  ["PT404", 404, "There is no such entrance."],
  ["23514", 400, "This entrance is closed."],
])("shows what the database refuses with %s", async (code, status, message) => {
  const failure = await failureOf(status, code, message);
  expect(failure).toBeInstanceOf(Refused);
  expect(failure).toHaveProperty("message", message);
});

it.each([
  ["57014", 422, "canceling statement due to statement timeout"],
  ["55P03", 422, "canceling statement due to lock timeout"],
  ["40P01", 503, "deadlock detected"],
  ["PGRST303", 401, "JWT expired"],
  ["42501", 401, "permission denied for function gate_recent"],
  ["PT429", 429, "Please wait a moment."],
])("continues offline after %s (%i)", async (code, status, message) => {
  const failure = await failureOf(status, code, message);
  expect(failure).toBeInstanceOf(Unreachable);
});
