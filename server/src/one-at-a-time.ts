// Serves a socket's requests one after the other. Node reads up to 64 KB ahead and would serve every request in it at once:
// 60 sockets that pipelined and never read took 600 MB and kept everyone else waiting for seconds.
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** How many requests of a socket may wait for the one being served. Browsers and proxies send none ahead. */
const PIPELINED = 8;

/** Node's own way to stop within a chunk, used for upgrades; it has no public name. */
const STOP = 2;

/**
 * Serves the next request once the previous answer has left for the network, and closes a socket that sends too far ahead.
 * `onAnswered` is called once an answer has ended, complete or not, and `onClosed` with each socket that is closed.
 */
export function oneAtATime(
  serve: RequestListener,
  onAnswered: (socket: Socket) => void,
  onClosed: (socket: Socket) => void,
): RequestListener {
  /** The waiting requests of each socket being answered; most send nothing ahead. */
  const lines = new Map<Socket, [IncomingMessage, ServerResponse][] | undefined>();

  function begin(socket: Socket, request: IncomingMessage, response: ServerResponse): void {
    response.on("close", () => {
      onAnswered(socket);
      const next = lines.get(socket)?.shift();
      // Node assigns the socket to the next response, unless this one was the last.
      if (next?.[1].socket === socket && !socket.destroyed) begin(socket, ...next);
      else lines.delete(socket);
    });
    serve(request, response);
  }

  return (request, response) => {
    const { socket } = request;
    if (socket.destroyed) return;
    if (!lines.has(socket)) {
      lines.set(socket, undefined);
      begin(socket, request, response);
      return;
    }
    const waiting = lines.get(socket) ?? [];
    if (waiting.length < PIPELINED) {
      waiting.push([request, response]);
      lines.set(socket, waiting);
    } else {
      onClosed(socket);
      socket.destroy();
      stopParsing(socket);
    }
  };
}

/** The chunk of a destroyed socket would still be parsed to its end: 64 KB hold 2,000 requests and cost 0.1 s. */
function stopParsing(socket: Socket & { readonly parser?: { onIncoming: () => number } | null }): void {
  if (socket.parser) socket.parser.onIncoming = () => STOP;
}
