// One request to a worker and its answer, both streamed. Nothing is buffered: a slow reader slows the other side down.
import { type ClientRequest, type IncomingMessage, request as httpRequest } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ServiceError } from "../../platform/errors.ts";
import { departed } from "../../postgres/connections/turns.ts";
import { RelayError } from "../relay-errors.ts";
import type { WorkerBounds } from "./bounds.ts";

export interface Exchange {
  /** Rejects with RelayError, or with the failure of the request's own body. */
  readonly answer: Promise<Response>;
  /** Resolves when both are finished. */
  readonly ended: Promise<void>;
  /** Bytes of the answer so far. */
  received(): number;
  /** The client has left: aborts the function's request. */
  abort(): void;
}

/** Headers of one connection, which is this exchange. RFC 9110, section 7.6.1. */
const HOP_BY_HOP = new Set([
  ...["connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"],
]);

export function exchange(
  socketPath: string,
  request: Request,
  headers: Headers,
  bounds: Pick<WorkerBounds, "silentMs" | "wallMs">,
): Exchange {
  const { pathname, search } = new URL(request.url);
  const outgoing = httpRequest({
    ...{ socketPath, method: request.method, path: pathname + search, agent: false },
    headers: outgoingHeaders(headers, request),
  });
  const wall = setTimeout(() => outgoing.destroy(new Error("wall clock")), bounds.wallMs);
  outgoing.setTimeout(bounds.silentMs, () => {
    const seconds = Math.round(bounds.silentMs / 1000);
    outgoing.destroy(new RelayError("IDLE_TIMEOUT", `Request idle timeout limit (${seconds}s) reached`));
  });
  const ended = new Promise<void>((end) => outgoing.once("close", end));
  void ended.then(() => clearTimeout(wall));
  return {
    answer: answerTo(request, outgoing),
    ended,
    received: () => outgoing.socket?.bytesRead ?? 0,
    abort: () => void outgoing.destroy(departed()),
  };
}

async function answerTo(request: Request, outgoing: ClientRequest): Promise<Response> {
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once("response", resolve);
    // Stays attached: after its answer a request may fail again.
    outgoing.on("error", reject);
    send(request, outgoing, reject);
  });
  return toResponse(request.method, await answered);
}

function send(request: Request, outgoing: ClientRequest, refuse: (error: unknown) => void): void {
  if (!request.body) {
    outgoing.end();
    return;
  }
  // A failing body ends the request too. A function may also answer without having read everything.
  pipeline(bodyOf(request, refuse), outgoing).catch(() => {});
}

/** Reports the reason before the request ends, which itself only sees a broken connection. */
async function* bodyOf({ body }: Request, refuse: (error: unknown) => void): AsyncGenerator<Uint8Array> {
  try {
    yield* body as unknown as AsyncIterable<Uint8Array>;
  } catch (error) {
    refuse(error instanceof ServiceError ? error : departed());
    throw error;
  }
}

/**
 * Node closes the connection after the answer. A worker asked to do so would close it right after answering, possibly while Node
 * still writes the end of the request: the answer would be lost to an EPIPE.
 */
function outgoingHeaders(headers: Headers, request: Request): string[] {
  const pairs = [...headers].filter(([name]) => !HOP_BY_HOP.has(name));
  const isChunked = request.body !== null && !headers.has("content-length");
  return [
    ...pairs,
    ...(isChunked ? [["transfer-encoding", "chunked"]] : []),
    ["connection", "keep-alive"],
  ].flat();
}

function toResponse(method: string, incoming: IncomingMessage): Response {
  const { statusCode: status = 500, rawHeaders } = incoming;
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (!HOP_BY_HOP.has(rawHeaders[at]!.toLowerCase())) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  }
  if (status >= 500) headers.set("sb-error-code", "EDGE_FUNCTION_ERROR");
  if (method === "HEAD" || [204, 205, 304].includes(status)) {
    incoming.resume();
    return new Response(null, { status, headers });
  }
  return new Response(Readable.toWeb(incoming) as ReadableStream<Uint8Array>, { status, headers });
}
