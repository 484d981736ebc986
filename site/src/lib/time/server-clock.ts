// The server's clock, estimated from its answers. A buyer's clock may be minutes off, while a hold is exact.

let aheadMs = 0;

/** Only answers from our own origin expose their Date header; without one, the browser's clock is used. */
export function noteServerTime(response: Response | undefined): void {
  const said = Date.parse(response?.headers.get("date") ?? "");
  if (Number.isNaN(said)) return;
  const difference = said - Date.now();
  // The header has whole seconds and the answer took time to arrive: a smaller difference means nothing.
  aheadMs = Math.abs(difference) > 5000 ? difference : 0;
}

export function serverNow(): number {
  return Date.now() + aheadMs;
}
