// ETag and 304 for what anybody may read: who has the answer already need not be sent it again.
import { hash } from "node:crypto";
import type { ServiceContext } from "../platform/context.ts";

/** The headers that choose among answers at one address; caches must tell them apart. */
const VARY = "accept, accept-profile, apikey, authorization, prefer, range";

/** The answer with its ETag, or 304 where the client has named it. Other callers' answers are kept by nobody. */
export function revalidated(
  request: Request,
  { claims }: ServiceContext,
  response: Response,
  body: string | Buffer,
): Response {
  if (claims.role !== "anon" || request.method !== "GET" || !response.ok || response.status === 204) {
    return response;
  }
  const { headers } = response;
  if (!headers.has("etag")) {
    const described = `${headers.get("content-type")} ${headers.get("content-range")}\n`;
    headers.set(
      "etag",
      `W/"${hash("sha1", Buffer.concat([Buffer.from(described), Buffer.from(body)]), "base64url")}"`,
    );
  }
  headers.append("vary", VARY);
  const known = request.headers.get("if-none-match");
  if (known === null || !isNamed(headers.get("etag")!, known)) return response;
  headers.delete("content-type");
  return new Response(null, { status: 304, headers });
}

const isNamed = (etag: string, known: string): boolean =>
  known.trim() === "*" || known.split(",").some((one) => strong(one.trim()) === strong(etag));

const strong = (etag: string): string => etag.replace(/^W\//, "");
