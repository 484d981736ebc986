// What a request's content type says of its body.

/** Without parameters and in lower case; undefined where the request says nothing. */
export function mediaTypeOf({ headers }: Pick<Request, "headers">): string | undefined {
  return headers.get("content-type")?.split(";", 1)[0]!.trim().toLowerCase();
}

/** Where nothing is said it is text: JSON comes under all of these. */
export const isText = (mediaType = ""): boolean =>
  /^$|^text\/|^application\/x-www-form-urlencoded$|json/.test(mediaType);
