// Which tabs are in checkout, known to all of them by a lock of the browser.

/** Shared by all tabs in checkout; whoever gets it alone knows that there is none. */
const IN_CHECKOUT = "houston-culture-festival:checkout";

/** Answers how to leave. */
export function enterCheckout(): () => void {
  let leave = () => {};
  const stay = new Promise<void>((done) => (leave = done));
  // Plain http on another host than localhost has no locks: there, holds only run out.
  void navigator.locks?.request(IN_CHECKOUT, { mode: "shared" }, () => stay);
  return leave;
}

export async function outsideCheckout(work: () => Promise<boolean>): Promise<boolean> {
  if (!navigator.locks) return false;
  return navigator.locks.request(IN_CHECKOUT, { ifAvailable: true }, (lock) => (lock ? work() : false));
}
