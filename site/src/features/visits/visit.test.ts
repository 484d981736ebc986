import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { startVisit } from "./visit.ts";

const sent: { url: string; keepalive: boolean; visits: { page_path: string; visit_duration: number }[] }[] =
  [];
const page = { path: "/faq", referrer: "", userId: null };
let leave: () => void;

beforeEach(() => {
  sent.length = 0;
  vi.useFakeTimers();
  vi.stubGlobal("document", {
    visibilityState: "visible",
    querySelector: () => ({ content: "https://festival.example" }),
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  });
  vi.stubGlobal("addEventListener", (_name: string, listener: () => void) => (leave = listener));
  vi.stubGlobal("removeEventListener", () => undefined);
  vi.stubGlobal("window", { innerWidth: 1280, location: {} });
  vi.stubGlobal("fetch", async (url: string, { body, keepalive }: { body: string; keepalive: boolean }) => {
    const { p_visits: visits } = JSON.parse(body);
    sent.push({ url, keepalive, visits });
    return new Response();
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const recorded = () =>
  sent.flatMap(({ visits }) => visits.map(({ page_path, visit_duration }) => [page_path, visit_duration]));

it("is recorded within a second of the path change, and then every 30 seconds", async () => {
  const end = startVisit(page, true);
  await vi.advanceTimersByTimeAsync(999);
  expect(recorded()).toEqual([["/faq", 0]]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(recorded()).toEqual([
    ["/faq", 0],
    ["/faq", 30],
    ["/faq", 60],
  ]);
  end();
  await vi.runAllTimersAsync();
});

it("is sent at once when the visitor leaves, however early", async () => {
  const end = startVisit(page, true);
  leave();
  await vi.advanceTimersByTimeAsync(0);
  expect(recorded()).toEqual([["/faq", 0]]);
  expect(sent[0]?.keepalive).toBe(true);
  end();
  await vi.runAllTimersAsync();
  expect(sent).toHaveLength(1);
});

it("waits until the user is known, unless the visitor leaves before", async () => {
  const end = startVisit(page, false);
  await vi.advanceTimersByTimeAsync(40_000);
  expect(sent).toEqual([]);
  leave();
  await vi.advanceTimersByTimeAsync(0);
  expect(recorded()).toEqual([["/faq", 40]]);
  end();
});
