// How far this machine's clock is from that of another machine, read over HTTP.

/** Milliseconds this machine is behind; undefined if no response has a date. Dates have whole seconds. */
export async function clockOff(url: string): Promise<number | undefined> {
  try {
    const asked = Date.now();
    const { headers } = await fetch(url, { method: "HEAD", signal: AbortSignal.timeout(10_000) });
    const off = Date.parse(headers.get("date") ?? "") + 500 - (asked + Date.now()) / 2;
    return Number.isNaN(off) ? undefined : off;
  } catch {
    return undefined;
  }
}
