// A keep-alive connection on which any bytes can be sent: the result is an answer, an end, or silence. Bare sockets, because
// fetch would repair half of what is meant to be broken, and cost more than the server's own part.
import { connect, type Socket } from "node:net";

type Outcome = number | "closed" | "silent";

export interface Asked {
  readonly outcome: Outcome;
  readonly milliseconds: number;
  /** The beginning of the answer, without what follows it on the connection. */
  readonly text: string;
}

const END = Buffer.from("\r\n\r\n");

export class RawClient {
  readonly #port: number;
  #socket: Socket | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  /** Stops waiting after `waitMs`. */
  async ask({ bytes, method }: { bytes: Buffer; method: string }, waitMs: number): Promise<Asked> {
    const started = performance.now();
    const socket = (this.#socket ??= this.#connect());
    const { outcome, text, goesOn } = await exchange(socket, bytes, method === "HEAD", waitMs);
    if (!goesOn) this.close();
    return { outcome, text, milliseconds: performance.now() - started };
  }

  #connect(): Socket {
    // The close event that follows reports what went wrong.
    return connect({ host: "127.0.0.1", port: this.#port, noDelay: true }).on("error", () => {});
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }
}

function exchange(
  socket: Socket,
  bytes: Buffer,
  isHead: boolean,
  waitMs: number,
): Promise<{ outcome: Outcome; text: string; goesOn: boolean }> {
  return new Promise((settle) => {
    let received: Buffer = Buffer.alloc(0);
    const finish = (outcome: Outcome, goesOn: boolean, answer = received) => {
      clearTimeout(timer);
      socket.off("data", onData).off("close", onClose);
      settle({ outcome, goesOn, text: answer.toString("latin1", 0, 2_000) });
    };
    const onData = (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const answer = answerIn(received, isHead);
      if (answer) finish(answer.status, answer.goesOn, answer.bytes);
    };
    // An answer without a length ends with its connection.
    const onClose = () => finish(statusOf(received) ?? "closed", false);
    const timer = setTimeout(() => finish(statusOf(received) ?? "silent", false), waitMs);
    socket.on("data", onData).on("close", onClose);
    if (socket.destroyed) onClose();
    else socket.write(bytes);
  });
}

const statusOf = (received: Buffer): number | undefined =>
  received.length > 12 ? Number(received.toString("latin1", 9, 12)) : undefined;

interface Answer {
  readonly status: number;
  readonly bytes: Buffer;
  readonly goesOn: boolean;
}

/** The first answer that is not a mere 100 Continue; undefined until it has arrived completely. */
function answerIn(received: Buffer, isHead: boolean): Answer | undefined {
  const end = received.indexOf(END);
  if (end < 0) return undefined;
  const start = end + END.length;
  const status = statusOf(received)!;
  if (status === 100) return answerIn(received.subarray(start), isHead);
  const head = received.toString("latin1", 0, end).toLowerCase();
  const mayGoOn = !head.includes("\r\nconnection: close") && status !== 101;
  // What follows its last byte answers the bytes that follow the request.
  const until = (last: number): Answer => ({
    status,
    bytes: received.subarray(0, last),
    goesOn: mayGoOn && received.length === last,
  });
  if (isHead || status === 101 || status === 204 || status === 304) return until(start);
  const length = /\r\ncontent-length: (\d+)/.exec(head)?.[1];
  if (length !== undefined) {
    const last = start + Number(length);
    return received.length < last ? undefined : until(last);
  }
  if (!head.includes("\r\ntransfer-encoding: chunked")) return undefined;
  return received.toString("latin1", received.length - 5) === "0\r\n\r\n"
    ? until(received.length)
    : undefined;
}
