import { expect, it, vi } from "vitest";
import { join, leave } from "./queries.ts";

vi.mock("#lib/api/supabase.ts", async () => {
  const { createSupabase } = await import("#lib/api/supabase-client.ts");
  const supabase = createSupabase({ url: "http://festival.test", anonKey: "key" }, "session");
  return { getSupabase: async () => supabase };
});
vi.mock("#ui/overlays/toast.ts", () => ({ toast: {} }));

it("explains in a sentence that there is no network", async () => {
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
  for (const change of [join({ typeId: "t", quantity: 1 }), leave("w")])
    await expect(change).rejects.toThrow(/^The server could not be reached\./);
});
