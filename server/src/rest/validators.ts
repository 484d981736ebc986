// ETag and 304 for what anybody may read: a client that has the answer already does not receive it again.
import { hash } from "node:crypto";
import type { ServiceContext } from "../platform/http/context.ts";
import type { HttpAnswer } from "./respond.ts";

/** The headers that vary the answer at one address; caches must distinguish them. */
const VARY = "accept, accept-profile, apikey, authorization, prefer, range";

/** The response with its ETag, or 304 if the client sent that ETag. Nothing is cached for other callers. */
export function revalidated(request: Request, { claims }: ServiceContext, answer: HttpAnswer): HttpAnswer {
  const { status, headers, body } = answer;
  const isRead = request.method === "GET" && status >= 200 && status < 300 && status !== 204;
  if (claims.role !== "anon" || !isRead) return answer;
  const etag = headers["etag"]?.toString() ?? etagOf(answer);
  const vary = [headers["vary"] ?? [], VARY].flat().join(", ");
  const known = request.headers.get("if-none-match");
  if (known === null || !isNamed(etag, known)) {
    return { status, headers: { ...headers, etag, vary }, body };
  }
  const { "content-type": _ofTheBody, ...others } = headers;
  return { status: 304, headers: { ...others, etag, vary }, body: null };
}

function etagOf({ headers, body }: HttpAnswer): string {
  const described = `${headers["content-type"]?.toString()} ${headers["content-range"]?.toString()}\n`;
  const content =
    typeof body === "string"
      ? described + body
      : Buffer.concat([Buffer.from(described), body ?? Buffer.of()]);
  return `W/"${hash("sha1", content, "base64url")}"`;
}

const isNamed = (etag: string, known: string): boolean =>
  known.trim() === "*" || known.split(",").some((one) => strong(one.trim()) === strong(etag));

const strong = (etag: string): string => etag.replace(/^W\//, "");
