// No service ever sees more bytes than its limit: refused by the declared length, or cut off while streaming.
import { ServiceError } from "../platform/errors.ts";

export const tooLarge = (limit: number) =>
  new ServiceError(
    413,
    "payload_too_large",
    `The request body is larger than ${Math.floor(limit / 1024)} KiB.`,
  );

/** The same request with a body that cannot exceed the limit. Throws ServiceError 413. */
export async function limitBody(request: Request, limit: number): Promise<Request> {
  const declared = request.headers.get("content-length");
  if (declared !== null) {
    if (Number(declared) > limit) throw tooLarge(limit);
    return request; // the HTTP parser reads no more than what is declared
  }
  if (request.headers.get("transfer-encoding") === null || !request.body) return request;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return new Request(request.url, {
    method: request.method,
    headers: request.headers,
    body: Buffer.concat(chunks),
  });
}
