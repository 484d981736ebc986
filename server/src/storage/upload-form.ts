// A multipart form, parsed only when it is known to be small work: 50 MB of empty fields kept the parser busy for 8 seconds.
import { invalidRequest } from "./errors.ts";

/** Bytes of a form in addition to its file: the fields, heads and boundaries. */
export const BESIDES_FILE = 64 * 1024;

/** A file and ten fields; storage-js sends three. */
const MOST_PARTS = 11;
/** Bytes of one part's head, from its boundary to the empty line. */
const LONGEST_HEAD = 16 * 1024;

/** Without the characters that separate values and types, so that nothing can read another boundary in the header. */
const BOUNDARY = /;\s*boundary="?([\w'()+./:=?-]{1,70})"?\s*(?:;|$)/i;

/** Throws InvalidRequest. */
export async function parseForm(contentType: string, form: Buffer<ArrayBuffer>): Promise<FormData> {
  const boundary = BOUNDARY.exec(contentType)?.[1];
  if (boundary === undefined) throw invalidRequest("Multipart: Boundary not found");
  requireFewParts(form, boundary);
  const headers = { "content-type": `multipart/form-data; boundary="${boundary}"` };
  return new Response(form, { headers }).formData().catch((cause: unknown) => {
    throw cause instanceof TypeError ? invalidRequest("Unexpected empty file received") : cause;
  });
}

/** Counts like the parser, which ends a part wherever the boundary occurs. */
function requireFewParts(form: Buffer, boundary: string): void {
  let parts = 0;
  for (let at = form.indexOf(boundary); at !== -1; at = form.indexOf(boundary, at + boundary.length)) {
    const head = form.subarray(at + boundary.length, at + LONGEST_HEAD);
    if (head.subarray(0, 2).equals(CLOSING)) continue;
    if (++parts > MOST_PARTS) throw invalidRequest("The form has too many parts");
    if (!head.includes("\r\n\r\n")) throw invalidRequest("The head of a part is too long");
  }
}

const CLOSING = Buffer.from("--");
