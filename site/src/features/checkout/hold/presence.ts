// Which tabs are in checkout, shared between them through a browser lock.

/** All tabs in checkout share it. A tab that acquires it exclusively knows that no other is there. */
const IN_CHECKOUT = "houston-culture-festival:checkout";

/** Returns a function that leaves. */
export function enterCheckout(): () => void {
  let leave = () => {};
  const stay = new Promise<void>((done) => (leave = done));
  // Plain http has no locks except on localhost; there, holds simply expire.
  void navigator.locks?.request(IN_CHECKOUT, { mode: "shared" }, () => stay);
  return leave;
}

export async function outsideCheckout(work: () => Promise<boolean>): Promise<boolean> {
  if (!navigator.locks) return false;
  return navigator.locks.request(IN_CHECKOUT, { ifAvailable: true }, (lock) => (lock ? work() : false));
}
