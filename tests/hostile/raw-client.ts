// A keep-alive connection on which any bytes can be sent: the result is an answer, an end, or silence. Bare sockets, because
// fetch would repair half of what is meant to be broken, and cost more than the server's own part.
import { connect, type Socket } from "node:net";

export type Outcome = number | "closed" | "silent";

export interface Asked {
  readonly outcome: Outcome;
  readonly milliseconds: number;
  /** The beginning of the answer. */
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
    const finish = (outcome: Outcome, goesOn: boolean) => {
      clearTimeout(timer);
      socket.off("data", onData).off("close", onClose);
      settle({ outcome, goesOn, text: received.toString("latin1", 0, 2_000) });
    };
    const onData = (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const answer = parsed(received, isHead);
      if (answer) finish(answer.status, answer.goesOn);
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

/** Undefined until the whole answer has arrived. */
function parsed(received: Buffer, isHead: boolean): { status: number; goesOn: boolean } | undefined {
  const end = received.indexOf(END);
  if (end < 0) return undefined;
  const status = statusOf(received)!;
  if (status === 100) return parsed(received.subarray(end + 4), isHead);
  const head = received.toString("latin1", 0, end).toLowerCase();
  const goesOn = !head.includes("\r\nconnection: close") && status !== 101;
  const rest = received.length - end - 4;
  if (isHead || status === 101 || status === 204 || status === 304)
    return { status, goesOn: goesOn && rest === 0 };
  const length = /\r\ncontent-length: (\d+)/.exec(head)?.[1];
  if (length !== undefined) {
    return rest < Number(length) ? undefined : { status, goesOn: goesOn && rest === Number(length) };
  }
  if (!head.includes("\r\ntransfer-encoding: chunked")) return undefined;
  return received.toString("latin1", received.length - 5) === "0\r\n\r\n" ? { status, goesOn } : undefined;
}
