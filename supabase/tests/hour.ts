// Tests of hourly or daily counts in Houston must not run just as an hour or a day ends.
import { expect, vi } from "vitest";

const HOUR = 3_600_000;

/** In the last quarter of a minute of an hour, waits for the next one. Houston's midnight is the end of an hour too. */
export const wellWithinAnHour = () =>
  vi.waitFor(() => expect(HOUR - (Date.now() % HOUR)).toBeGreaterThan(15_000), { timeout: 20_000 });
