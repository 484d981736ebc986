import { afterEach, expect, it, vi } from "vitest";
import { followBroadcasts } from "./broadcasts.ts";

const joined = vi.hoisted(() => ({ with: [] as unknown[] }));
vi.mock("./supabase.ts", () => {
  const channel = { on: () => {}, subscribe: () => {} };
  return {
    SESSION_KEY: "session",
    getSupabase: async () => ({
      auth: { getSession: async () => ({ data: { session: null } }) },
      channel: (_topic: string, options: unknown) => joined.with.push(options) && channel,
      removeChannel: async () => {},
    }),
  };
});

afterEach(() => vi.useRealTimers());

it("requests the last message however fast or slow the phone's clock is", async () => {
  const sentAt = Date.now();
  for (const clock of [sentAt - 3_600_000, sentAt, sentAt + 3_600_000]) {
    vi.setSystemTime(clock);
    joined.with.length = 0;
    const stop = followBroadcasts("stock", "left", { notify: () => {}, onLive: () => {} });
    await expect.poll(() => joined.with).toHaveLength(1);
    stop();
    const { config } = joined.with[0] as { config: { broadcast: { replay: { since: number } } } };
    expect(config.broadcast.replay.since).toBeLessThan(sentAt);
  }
});
