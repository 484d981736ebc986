/** A name to start from: people at the gate tell phones apart by what they are. */
export function suggestedName(): string {
  const { userAgent } = navigator;
  if (/iPad/.test(userAgent)) return "iPad";
  if (/iPhone/.test(userAgent)) return "iPhone";
  return /Android/.test(userAgent) ? "Android phone" : "Gate computer";
}
