// What of a request reaches the service behind its door: its own path, an address the client did not choose, and a body
// that has been read, or is being bounded while it is.
import type { Bodies } from "./bodies.ts";

interface Handed {
  readonly request: Request;
  /** Its body is still being sent: where it is refused, the rest is not waited for. */
  readonly flows?: boolean;
  /** To be called once the request is answered. */
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

/** The request under the service's own path. The audit log believes this address, so a client's own word does not count. */
export const forward: Take = async (bodies, request, url, address, limit) => {
  const { method } = request;
  const headers = headersOf(request, address);
  if (method === "GET" || method === "HEAD")
    return { request: new Request(url, { method, headers }), release: nothing };
  const taken = await bodies.take(request, address, limit);
  const body = taken ? new Uint8Array(taken.bytes) : null;
  return { request: new Request(url, { method, headers, body }), release: taken?.release ?? nothing };
};

/** Like forward, but what is not JSON flows on while it is being sent: the service decides first whether it may. */
export const forwardUpload =
  (largest: number): Take =>
  async (bodies, request, url, address, limit) => {
    const type = request.headers.get("content-type") ?? "";
    if (request.method === "GET" || request.method === "HEAD" || isJsonCall(request, url)) {
      return forward(bodies, request, url, address, limit);
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

/** Names no object to write, so that the service reads its body as JSON whatever that calls itself. */
const isJsonCall = ({ method }: Request, { pathname }: URL): boolean =>
  method === "DELETE" ||
  /^\/bucket(\/|$)/.test(pathname) ||
  (method === "POST" && /^\/object\/(list|move|copy|sign|upload\/sign)(\/|$)/.test(pathname));

/** The request itself, its body read: for services that take it as it came. */
export const whole: Take = async (bodies, request, _url, address, limit) => {
  if (request.method === "GET" || request.method === "HEAD") return { request, release: nothing };
  const { text, release } = await bodies.takeText(request, address, limit);
  return { request: new ReadRequest(request, text) as unknown as Request, release };
};

/**
 * What our services read of a request, with a body that is there already. Making a Request of it, or defining the same on
 * the one that came, costs an order more than all else the gateway does.
 */
class ReadRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly #text: string;

  constructor({ url, method, headers }: Request, text: string) {
    this.url = url;
    this.method = method;
    this.headers = headers;
    this.#text = text;
  }

  async text(): Promise<string> {
    return this.#text;
  }

  async json(): Promise<unknown> {
    return JSON.parse(this.#text);
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return new TextEncoder().encode(this.#text).buffer;
  }
}

function headersOf(request: Request, address: string): Headers {
  const headers = new Headers(request.headers);
  headers.set("x-forwarded-for", address);
  headers.delete("cf-connecting-ip"); // the platform's word for the same
  return headers;
}
