/** An iPad identifies itself as a Mac, which has no touch screen. */
export function appleTouch(): "iPhone" | "iPad" | undefined {
  const { userAgent, maxTouchPoints } = navigator;
  if (/iPhone|iPod/.test(userAgent)) return "iPhone";
  return /iPad/.test(userAgent) || (/Macintosh/.test(userAgent) && maxTouchPoints > 1) ? "iPad" : undefined;
}
