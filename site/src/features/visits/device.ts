// A visitor's device and browser (PRODUCT 10.1).

export function deviceType(width: number): "mobile" | "tablet" | "desktop" {
  if (width < 768) return "mobile";
  return width < 1024 ? "tablet" : "desktop";
}

/** From the user agent. Edge's contains Chrome too, and Chrome's contains Safari. */
export function browserName(userAgent: string): "Chrome" | "Firefox" | "Safari" | "Edge" | "Other" {
  if (/Edg(e|A|iOS)?\//.test(userAgent)) return "Edge";
  if (/Firefox|FxiOS/.test(userAgent)) return "Firefox";
  if (/Chrome|CriOS/.test(userAgent)) return "Chrome";
  return /Safari/.test(userAgent) ? "Safari" : "Other";
}
