// Headers that limit what an answer may do in the browser.

const A_YEAR = 31_536_000;

export type Headers = Readonly<Record<string, string>>;

/**
 * `origin`: the site's address. With https, browsers that have seen it never request it unencrypted again, nor its subdomains where
 * the operator says so.
 */
export const securityHeaders = (origin: string, withSubdomains = false): Headers => ({
  "x-content-type-options": "nosniff",
  "referrer-policy": "strict-origin-when-cross-origin",
  "x-frame-options": "SAMEORIGIN",
  // Pages, data and stored objects replace it with their own policies.
  "content-security-policy": "base-uri 'none'; frame-ancestors 'self'",
  ...(origin.startsWith("https:")
    ? { "strict-transport-security": `max-age=${A_YEAR}${withSubdomains ? "; includeSubDomains" : ""}` }
    : {}),
});

/** For an API's answer, which is data: if a browser shows it as a page, it loads and frames nothing. */
export const DATA_POLICY: Headers = {
  "content-security-policy": "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
};

/** For an answer that only its caller may read. */
export const PRIVATE: Headers = { "cache-control": "no-store" };
