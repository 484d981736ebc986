import { afterEach, expect, it, vi } from "vitest";
import { createProviderPace } from "./provider-pace.ts";

afterEach(() => void vi.useRealTimers());

it("makes each call at once after the machine's clock was set back", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const paced = createProviderPace();
  expect(await paced(async () => "first")).toBe("first");
  vi.setSystemTime(Date.now() - 600_000);
  const late = new Promise((done) => setTimeout(done, 1000, "late"));
  expect(await Promise.race([paced(async () => "second"), late])).toBe("second");
});
