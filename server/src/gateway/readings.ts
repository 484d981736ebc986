// How each service reads the body of a request. What is looked for in it follows from that and not from the content type alone, which
// is the sender's word: some services read JSON under any.
import { isText, mediaTypeOf } from "contract/media-types";

/** As JSON; as other text, a form or CSV; or as bytes, in which nothing is looked for. */
export type Reading = "json" | "text" | "bytes";

export type Reads = (request: Request, url: URL) => Reading;

export const asJson: Reads = () => "json";
export const asText: Reads = () => "text";

export const restReads: Reads = (request) => {
  const type = mediaTypeOf(request) ?? "application/json";
  if (type === "application/octet-stream") return "bytes";
  return type === "application/json" ? "json" : "text";
};

/** Bytes are taken at the address of one event alone. */
export const realtimeReads: Reads = (request, { pathname }) =>
  mediaTypeOf(request) === "application/octet-stream" && pathname !== "/api/broadcast" ? "bytes" : "json";

/** Handlers read JSON from text of any kind, and from nothing else (`readBody` of supabase/functions/_shared/handler.ts). */
export const functionsRead: Reads = (request) => (isText(mediaTypeOf(request)) ? "json" : "bytes");
