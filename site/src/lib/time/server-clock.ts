// The server's clock, estimated from its responses. A buyer's clock may be minutes off, while a hold ends at
// an exact time.

let aheadMs = 0;

/** Only responses from our own origin expose their Date header. Without it, the browser's clock is used. */
export function noteServerTime(response: Response | undefined): void {
  const said = Date.parse(response?.headers.get("date") ?? "");
  if (Number.isNaN(said)) return;
  const difference = said - Date.now();
  // The header has whole seconds and the response took time to arrive, so a smaller difference means nothing.
  aheadMs = Math.abs(difference) > 5000 ? difference : 0;
}

export function serverNow(): number {
  return Date.now() + aheadMs;
}
