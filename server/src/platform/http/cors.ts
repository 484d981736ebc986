// Any origin may call the API, as on Supabase: authority is in the token, never in a cookie.

const EXPOSED =
  "content-range, content-location, content-profile, range-unit, location, preference-applied, x-request-id, " +
  "x-supabase-api-version, retry-after, idempotent-replayed, x-total-count, link, x-transformations, etag, " +
  "accept-ranges, content-length, tus-resumable, tus-version, tus-extension, tus-max-size, upload-offset, upload-length, " +
  "upload-metadata, upload-expires, upload-defer-length, tus-complete, allow, proxy-status, server-timing, x-relay-error, " +
  "sb-error-code, x-sb-edge-region";

/** A browser asking whether it may send a request; any other OPTIONS is for the service. */
export const isPreflight = ({ method, headers }: Request): boolean =>
  method === "OPTIONS" &&
  ["access-control-request-method", "access-control-request-headers"].some((name) => headers.has(name));

export function preflight(request: Request): Response {
  return new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-origin": "*",
      "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
      "access-control-allow-headers": request.headers.get("access-control-request-headers") ?? "*",
      "access-control-max-age": "3600",
      vary: "access-control-request-headers",
    },
  });
}

export const CORS_HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": EXPOSED,
} as const;
