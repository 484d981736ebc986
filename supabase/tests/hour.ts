// What is counted by the hour or by the day in Houston must not be asked about as one ends.
import { expect, vi } from "vitest";

const HOUR = 3_600_000;

/** In the last quarter of a minute of an hour, waits for the next. Houston's midnight is the end of one. */
export const wellWithinAnHour = () =>
  vi.waitFor(() => expect(HOUR - (Date.now() % HOUR)).toBeGreaterThan(15_000), { timeout: 20_000 });
