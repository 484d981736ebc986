// How each service reads a request's body, which decides how the gateway checks it. The content type alone cannot decide: it is
// only the sender's claim, and some services read JSON under any.
import { isText, mediaTypeOf } from "contract/media-types";

/** As JSON; as other text, such as a form or CSV; or as bytes, which are not checked. */
export type Reading = "json" | "text" | "bytes";

export type Reads = (request: Request, url: URL) => Reading;

export const asJson: Reads = () => "json";
export const asText: Reads = () => "text";

export const restReads: Reads = (request) => {
  const type = mediaTypeOf(request) ?? "application/json";
  if (type === "application/octet-stream") return "bytes";
  return type === "application/json" ? "json" : "text";
};

/** The batch address reads JSON whatever the type; the address of a single event also accepts bytes. */
export const realtimeReads: Reads = (request, { pathname }) =>
  mediaTypeOf(request) === "application/octet-stream" && pathname !== "/api/broadcast" ? "bytes" : "json";

/** Handlers read JSON only from text types (`readBody` in supabase/functions/_shared/handler.ts). */
export const functionsRead: Reads = (request) => (isText(mediaTypeOf(request)) ? "json" : "bytes");
