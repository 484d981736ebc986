// Builds the request that a service receives: under the service's own path, with an address the client did not choose, and
// with a body that has been read, or is limited while it streams.
import type { Service } from "../../platform/http/context.ts";
import type { Bodies } from "./bodies.ts";
import { readRequest } from "./read-request.ts";
import { asJson, type Reads } from "./body-kinds.ts";

interface Handed {
  readonly request: Request;
  /** True while its body is still arriving: a refusal does not wait for the rest. */
  readonly flows?: boolean;
  /** Call it once the request is answered. */
  release(): void;
}

export type Take = (
  bodies: Bodies,
  request: Request,
  url: URL,
  address: string,
  limit: number,
) => Promise<Handed>;

const nothing = () => {};

/** The request under the service's own path. The audit log trusts its address, so the client's own headers do not count. */
export const forward =
  (reads: Reads): Take =>
  async (bodies, request, url, address, limit) => {
    const { method } = request;
    const headers = headersOf(request, address);
    if (method === "GET" || method === "HEAD" || method === "OPTIONS")
      return { request: readRequest(request, undefined, url.href), release: nothing };
    const taken = await bodies.take(request, address, limit, reads(request, url));
    const body = taken ? new Uint8Array(taken.bytes) : null;
    return { request: new Request(url, { method, headers, body }), release: taken?.release ?? nothing };
  };

/** Like forward, but a body that is not JSON streams, so that the service can refuse it first. */
export const forwardUpload =
  (largest: number): Take =>
  async (bodies, request, url, address, limit) => {
    const type = request.headers.get("content-type") ?? "";
    if (request.method === "GET" || request.method === "HEAD" || isJsonCall(request, url)) {
      return forward(asJson)(bodies, request, url, address, limit);
    }
    const { body, release } = await bodies.flow(request, largest, type.startsWith("multipart/"));
    const init = {
      method: request.method,
      headers: headersOf(request, address),
      body,
      duplex: "half" as const,
    };
    return { request: new Request(url, init), flows: body instanceof ReadableStream, release };
  };

/** The path names no object to write, so the service reads the body as JSON whatever its content type. */
const isJsonCall = ({ method }: Request, { pathname }: URL): boolean =>
  method === "DELETE" ||
  /^\/bucket(\/|$)/.test(pathname) ||
  (method === "POST" && /^\/object\/(list|list-v2|move|copy|sign|upload\/sign)(\/|$)/.test(pathname));

/** The original request with its body read, for services that take it unchanged. */
export const whole =
  (reads: Reads): Take =>
  async (bodies, request, url, address, limit) => {
    if (request.method === "GET" || request.method === "HEAD") return { request, release: nothing };
    const taken = await bodies.take(request, address, limit, reads(request, url));
    return { request: readRequest(request, taken?.bytes), release: taken?.release ?? nothing };
  };

/** Like `whole`, unless the service reads the body as it arrives: then it streams, up to `largest` bytes. */
export const wholeOrUnread =
  (service: Pick<Service, "takesUnread">, reads: Reads, largest: number): Take =>
  async (bodies, request, url, address, limit) => {
    if (!(await service.takesUnread?.(url.pathname)))
      return whole(reads)(bodies, request, url, address, limit);
    const { method } = request;
    const headers = headersOf(request, address);
    if (method === "GET" || method === "HEAD")
      return { request: new Request(url, { method, headers }), release: nothing };
    const { body, release } = await bodies.flow(request, largest, false);
    const init = { method, headers, body, duplex: "half" as const };
    return { request: new Request(url, init), flows: body instanceof ReadableStream, release };
  };

/** Changes the request's own headers: in a copy every header would be checked and sorted again. */
function headersOf({ headers }: Request, address: string): Headers {
  headers.set("x-forwarded-for", address);
  headers.delete("cf-connecting-ip"); // the platform's header for the same address
  return headers;
}
