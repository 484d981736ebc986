// Reads a request's content type.

/** Without parameters and in lower case; undefined if the request has none. */
export function mediaTypeOf({ headers }: Pick<Request, "headers">): string | undefined {
  return headers.get("content-type")?.split(";", 1)[0]!.trim().toLowerCase();
}

/** A body without a type counts as text: clients send JSON under all of these. */
export const isText = (mediaType = ""): boolean =>
  /^$|^text\/|^application\/x-www-form-urlencoded$|json/.test(mediaType);
