// The answers being made or read, and how fast each is read: a client that takes a byte a second would hold a socket, and the
// answer's memory, forever. Only the time an answer waits for its reader counts; how long a request may take to arrive is Node's
// own limit (listener.ts).
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

export interface ReadingLimits {
  /** Bytes a second that a reader must take, averaged over `patienceMs`. */
  readonly slowest: number;
  readonly patienceMs: number;
  /** Bytes of unread answers that one address may leave in memory. */
  readonly unreadPerAddress: number;
  /** The same for all addresses together. Beyond it, those that leave the most get less, but none less than `unreadSpared`. */
  readonly unread: number;
  readonly unreadSpared: number;
  readonly lookEveryMs: number;
}

/** A phone at the edge of a crowded cell takes a few kilobytes a second, in bursts. */
export const READING: ReadingLimits = {
  slowest: 1024,
  patienceMs: 60_000,
  unreadPerAddress: 64 * 1024 * 1024,
  unread: 256 * 1024 * 1024, // whoever has an IPv6 network has thousands of addresses
  unreadSpared: 2 * 1024 * 1024, // a browser's six sockets with our largest pages and scripts
  lookEveryMs: 1_000,
};

/** The log message for a closed socket. */
const REASONS = {
  slow: "closed a socket that read its answer too slowly",
  unread: "closed a socket whose address left too much unread",
  crowd: "closed a socket because too much is left unread",
};
type Reason = keyof typeof REASONS;

/** The client's address; undefined where it is unknown and the socket may carry many clients. */
type AddressOf = (request: IncomingMessage) => string | undefined;

interface Answer {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly socket: Socket;
  taken: number;
  /** Bytes taken since the last look. */
  progress: number;
  /** Bytes by which it lags behind the slowest reader we accept. */
  behind: number;
}

/** Node has no public name for how much of a large write the system's buffer has taken. */
interface Wire {
  readonly _handle?: { readonly bytesWritten: number; readonly writeQueueSize: number } | null;
}

export class AnswersUnderWay {
  readonly #limits: ReadingLimits;
  readonly #addressOf: AddressOf;
  readonly #onTooSlow: (socket: Socket, why: string) => void;
  readonly #answers = new Map<Socket, Answer>();
  readonly #timer: NodeJS.Timeout;
  #onEnded = () => {};

  /** `onTooSlow` is called once for each socket that is then closed, with the message for the log. */
  constructor(limits: ReadingLimits, addressOf: AddressOf, onTooSlow: (socket: Socket, why: string) => void) {
    this.#limits = limits;
    this.#addressOf = addressOf;
    this.#onTooSlow = onTooSlow;
    this.#timer = setInterval(() => this.#look(), limits.lookEveryMs).unref();
  }

  /** A socket has one answer at a time. */
  add(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const taken = takenBy(socket) ?? 0;
    this.#answers.set(socket, { request, response, socket, taken, progress: 0, behind: 0 });
  }

  answered(socket: Socket): void {
    this.#answers.delete(socket);
    if (this.#answers.size === 0) this.#onEnded();
  }

  /** Whether the headers of an answer have been sent. */
  hasBegun(socket: Socket): boolean {
    return this.#answers.get(socket)?.response.headersSent ?? false;
  }

  /** Resolves when all are answered, or have taken longer than `withinMs`. */
  async ended(withinMs: number): Promise<void> {
    if (this.#answers.size === 0) return;
    await new Promise<void>((done) => {
      this.#onEnded = done;
      setTimeout(done, withinMs).unref();
    });
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const { slowest, patienceMs } = this.#limits;
    const unread = new Map<string, Answer[]>();
    for (const answer of this.#answers.values()) {
      if (!this.#measure(answer)) continue;
      if (answer.behind > (slowest * patienceMs) / 1000) {
        this.#close(answer, "slow");
        continue;
      }
      const address = this.#addressOf(answer.request);
      if (address === undefined) continue;
      const others = unread.get(address);
      if (others) others.push(answer);
      else unread.set(address, [answer]);
    }
    this.#shortenAll([...unread.values()]);
  }

  /** What is left unread: each address within its limit, then all within theirs. */
  #shortenAll(addresses: readonly Answer[][]): void {
    const { unreadPerAddress, unread, unreadSpared } = this.#limits;
    let most = unreadPerAddress;
    let left = addresses.map((answers) => this.#shorten(answers, most, "unread"));
    while (most > unreadSpared && unreadOf(left.flat()) > unread) {
      most = Math.max(most / 2, unreadSpared);
      left = left.map((answers) => this.#shorten(answers, most, "crowd"));
    }
  }

  /** False while we are the ones still writing. */
  #measure(answer: Answer): boolean {
    const { slowest, lookEveryMs } = this.#limits;
    const due = (slowest * lookEveryMs) / 1000;
    const taken = takenBy(answer.socket);
    if (taken === undefined) return false;
    answer.progress = taken - answer.taken;
    const waits = answer.response.writableLength > 0;
    answer.taken = taken;
    answer.behind = waits ? Math.max(0, answer.behind + due - answer.progress) : 0;
    return waits;
  }

  /** Closes the answers that are read most slowly until the others fit, which it returns. */
  #shorten(answers: Answer[], most: number, why: Reason): Answer[] {
    const left = answers.toSorted((a, b) => b.progress - a.progress);
    for (let unread = unreadOf(left); unread > most;) {
      const slowest = left.pop()!;
      unread -= slowest.response.writableLength;
      this.#close(slowest, why);
    }
    return left;
  }

  #close({ socket }: Answer, why: Reason): void {
    this.#onTooSlow(socket, REASONS[why]);
    socket.destroy();
  }
}

const unreadOf = (answers: readonly Answer[]): number =>
  answers.reduce((sum, { response }) => sum + response.writableLength, 0);

/** Bytes that have left this process; undefined once the socket is closed. */
function takenBy(socket: Socket & Wire): number | undefined {
  const { _handle: handle } = socket;
  return handle ? handle.bytesWritten - handle.writeQueueSize : undefined;
}
