// What the server's clock says, as far as its answers told. A buyer's clock may be minutes off, and a hold is not.

let aheadMs = 0;

/** Only answers of our own origin show their Date; without one the browser's clock is believed. */
export function noteServerTime(response: Response | undefined): void {
  const said = Date.parse(response?.headers.get("date") ?? "");
  if (Number.isNaN(said)) return;
  const difference = said - Date.now();
  // The header counts whole seconds and the answer took its way: less than this says nothing.
  aheadMs = Math.abs(difference) > 5000 ? difference : 0;
}

export function serverNow(): number {
  return Date.now() + aheadMs;
}
