// Answers bytes that Node cannot parse as a request: like Node itself, but with 405 for a method that its parser does not know.
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { Headers } from "../security-headers.ts";

/** What Node's `clientError` reports. */
interface ParseError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

const STATUSES: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

const METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

/** The headers and body of a 405, in PostgREST's format under its path. */
export function methodNotAllowed(method: string, path: string) {
  const error = {
    code: "PGRST117",
    message: `Unsupported HTTP method: ${method}`,
    details: null,
    hint: null,
  };
  return {
    headers: { "content-type": "application/json; charset=utf-8", allow: METHODS },
    body: JSON.stringify(path.startsWith("/rest/v1") ? error : { message: "Method Not Allowed" }),
  };
}

export function refuseUnreadable(error: ParseError, socket: Duplex, headers: Headers): void {
  if (!socket.writable) return void socket.destroy(error);
  const line = error.code === "HPE_INVALID_METHOD" ? requestLineIn(error) : undefined;
  const refused = line && methodNotAllowed(line.method, line.path);
  const status = refused ? 405 : (STATUSES[error.code ?? ""] ?? 400);
  const fields = refused ? { ...headers, ...refused.headers, "content-length": refused.body.length } : {};
  const lines = Object.entries({ ...fields, connection: "close" }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  socket.end(
    [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, "", refused?.body ?? ""].join("\r\n"),
    () => socket.destroy(error),
  );
}

/** Undefined for bytes that are not HTTP, such as a TLS handshake. */
function requestLineIn({ rawPacket, bytesParsed = 0 }: ParseError) {
  const text = rawPacket?.toString("latin1") ?? "";
  const start = text.lastIndexOf("\n", bytesParsed - 1) + 1;
  const [, method, path] = /^([A-Za-z-]+) (\/\S*) HTTP\/1\.[01]\r?\n/.exec(text.slice(start)) ?? [];
  return method === undefined || path === undefined ? undefined : { method, path };
}
