import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createSchedule } from "./schedule.ts";

/** A job whose runs the test finishes. */
function heldJob(everyMs = 1000) {
  const runs: { end: () => void; fail: (error: Error) => void }[] = [];
  const run = () => new Promise<void>((end, fail) => runs.push({ end, fail }));
  return { runs, job: { name: "job", everyMs, run } };
}

describe("the schedule", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("runs a job at its interval, and never twice at once", async () => {
    const { runs, job } = heldJob();
    createSchedule([job], () => {}).start();
    await vi.advanceTimersByTimeAsync(5000);
    expect(runs).toHaveLength(1);
    runs[0]!.end();
    await vi.advanceTimersByTimeAsync(1000);
    expect(runs).toHaveLength(2);
  });

  it("runs at once when poked, and once more after a rest when poked while running", async () => {
    const { runs, job } = heldJob();
    const schedule = createSchedule([job], () => {});
    schedule.start();
    schedule.poke("job");
    schedule.poke("job");
    schedule.poke("job");
    expect(runs).toHaveLength(1);
    runs[0]!.end();
    await vi.advanceTimersByTimeAsync(200);
    schedule.poke("job");
    expect(runs).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(50);
    expect(runs).toHaveLength(2);
    runs[1]!.end();
    await vi.advanceTimersByTimeAsync(500);
    expect(runs).toHaveLength(2);
    schedule.poke("job");
    expect(runs).toHaveLength(3);
  });

  it("continues after a failure and reports it", async () => {
    const { runs, job } = heldJob();
    const failures: unknown[] = [];
    const schedule = createSchedule([job], (name, error) => failures.push([name, error]));
    schedule.start();
    schedule.poke("job");
    const error = new Error("no");
    runs[0]!.fail(error);
    await vi.advanceTimersByTimeAsync(1000);
    expect(failures).toEqual([["job", error]]);
    expect(runs).toHaveLength(2);
  });

  it("waits for the current run when it stops, and starts no more", async () => {
    const { runs, job } = heldJob();
    const schedule = createSchedule([job], () => {});
    schedule.start();
    schedule.poke("job");
    schedule.poke("job");
    let stopped = false;
    const stopping = schedule.stop().then(() => (stopped = true));
    await vi.advanceTimersByTimeAsync(5000);
    expect(stopped).toBe(false);
    runs[0]!.end();
    await stopping;
    schedule.poke("job");
    await vi.advanceTimersByTimeAsync(5000);
    expect(runs).toHaveLength(1);
  });
});
