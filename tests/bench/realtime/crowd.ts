// A crowd of WebSockets that all receive the same messages. Bare sockets that parse the frames of RFC 6455 themselves, because
// they share two cores with what they measure: the client of `ws` costs more than the server's own part. The first member to
// receive a message has it checked, and everybody else must receive the same bytes at the same position.
import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { WrongAnswer } from "../pairs.ts";

/** A server being measured counts sockets and joins by address, and trusts this machine to report the addresses. */
export const CROWD_ENV = { TRUSTED_PROXIES: "127.0.0.1, ::1", MAILBOX: "true", PAYMENTS_SANDBOX: "true" };
const MEMBERS_OF_ADDRESS = 50;
/** Opened and joined at once: the checks of joins take turns at the database, and none waits for long. */
const TOGETHER = 100;

export interface CrowdOptions {
  readonly url: string;
  readonly path: string;
  readonly members: number;
  /** A frame that each socket sends when it opens. Messages before the reply to it do not count. */
  readonly join?: Buffer;
  /** Checks a message that all members receive, in their common order. Throws WrongAnswer. */
  readonly check: (message: Buffer) => void;
}

interface Crowd {
  say(member: number, frame: Buffer): void;
  /**
   * Resolves when everybody has received this many messages. Rejects when a member receives something else, or nothing for too
   * long.
   */
  heard(count: number): Promise<void>;
  close(): void;
}

export async function openCrowd(options: CrowdOptions): Promise<Crowd> {
  const ears = new Ears(options.members, options.check);
  const members: Member[] = [];
  const close = () => members.forEach((member) => member.close());
  try {
    while (members.length < options.members) {
      const count = Math.min(TOGETHER, options.members - members.length);
      const some = Array.from({ length: count }, (_, at) => new Member(options, members.length + at, ears));
      members.push(...some);
      await Promise.all(some.map((member) => member.joined));
    }
  } catch (error) {
    close();
    throw error;
  }
  return {
    say: (member, frame) => members[member]!.say(frame),
    heard: (count) => ears.heard(count),
    close,
  };
}

const TEXT = 1;
const BINARY = 2;

/** As a client sends it: masked, with a mask that changes nothing. */
export function frameOf(payload: string | Buffer): Buffer {
  const bytes = Buffer.from(payload);
  const kind = 0x80 | (typeof payload === "string" ? TEXT : BINARY);
  const head =
    bytes.length < 126
      ? [kind, 0x80 | bytes.length]
      : [kind, 0x80 | 126, bytes.length >> 8, bytes.length & 0xff];
  return Buffer.concat([Buffer.from([...head, 0, 0, 0, 0]), bytes]);
}

/** What the crowd has received so far. */
class Ears {
  readonly #members: number;
  readonly #check: (message: Buffer) => void;
  /** Each message by its position, until everybody has received it. */
  readonly #messages = new Map<number, { readonly bytes: Buffer; heardBy: number }>();
  #heardByAll = 0;
  #waiting: (PromiseWithResolvers<void> & { readonly count: number }) | undefined;
  #failure: Error | undefined;

  constructor(members: number, check: (message: Buffer) => void) {
    this.#members = members;
    this.#check = check;
  }

  heard(count: number): Promise<void> {
    const waiting = { ...Promise.withResolvers<void>(), count };
    this.#waiting = waiting;
    this.#settle();
    return waiting.promise;
  }

  /** A member's message, by its position among those that the member has received. */
  hear(place: number, bytes: Buffer, from: number, to: number): void {
    let message = this.#messages.get(place);
    if (message === undefined) {
      message = { bytes: Buffer.from(bytes.subarray(from, to)), heardBy: 0 };
      this.#check(message.bytes);
      this.#messages.set(place, message);
    } else if (message.bytes.compare(bytes, from, to) !== 0) {
      throw new WrongAnswer(
        `One heard ${bytes.toString("utf8", from, to)}, another ${String(message.bytes)}`,
      );
    }
    if (++message.heardBy < this.#members) return;
    this.#messages.delete(place);
    this.#heardByAll = place + 1; // nobody receives a message before the previous one
    this.#settle();
  }

  fail(error: Error): void {
    this.#failure ??= error;
    this.#settle();
  }

  #settle(): void {
    if (this.#failure) this.#waiting?.reject(this.#failure);
    else if (this.#waiting && this.#heardByAll >= this.#waiting.count) this.#waiting.resolve();
  }
}

/** All sockets read into it, one after the other. */
const READ = Buffer.alloc(256 * 1024);

class Member {
  readonly #socket: Socket;
  readonly #join: Buffer | undefined;
  readonly #ears: Ears;
  readonly #joined = Promise.withResolvers<void>();
  readonly joined = this.#joined.promise;
  #state: "opening" | "joining" | "listening" = "opening";
  #rest = Buffer.alloc(0);
  #heard = 0;

  constructor({ url, path, join }: CrowdOptions, number: number, ears: Ears) {
    this.#join = join;
    this.#ears = ears;
    const { hostname: host, port } = new URL(url);
    const onread = { buffer: READ, callback: (length: number) => this.#read(READ.subarray(0, length)) };
    this.#socket = connect({ host, port: Number(port), noDelay: true, onread });
    this.#socket.on("error", (error) => this.#fail(error));
    this.#socket.on("close", () => this.#fail(new WrongAnswer("A socket of the crowd was closed.")));
    this.#socket.write(
      `GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: Upgrade\r\nupgrade: websocket\r\n` +
        `sec-websocket-version: 13\r\nsec-websocket-key: ${randomBytes(16).toString("base64")}\r\n` +
        `x-forwarded-for: 10.0.0.${1 + Math.floor(number / MEMBERS_OF_ADDRESS)}\r\n\r\n`,
    );
  }

  say(frame: Buffer): void {
    this.#socket.write(frame);
  }

  close(): void {
    this.#socket.removeAllListeners("close").destroy();
  }

  /** Returns whether to continue reading. */
  #read(chunk: Buffer): boolean {
    try {
      const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
      const end = this.#readFrames(bytes, this.#state === "opening" ? this.#readHead(bytes) : 0);
      this.#rest = Buffer.from(bytes.subarray(end)); // a copy, because the next socket's read overwrites it
      return true;
    } catch (error) {
      this.#fail(error as Error);
      return false;
    }
  }

  /** Returns where the frames begin. */
  #readHead(bytes: Buffer): number {
    const end = bytes.indexOf("\r\n\r\n");
    if (end < 0) return 0;
    if (!bytes.toString("latin1", 0, end).startsWith("HTTP/1.1 101")) throw new WrongAnswer(String(bytes));
    this.#state = this.#join ? "joining" : "listening";
    if (this.#join) this.say(this.#join);
    else this.#joined.resolve();
    return end + 4;
  }

  /** Reads the complete frames. Returns where the next one begins. */
  #readFrames(bytes: Buffer, start: number): number {
    let at = start;
    while (this.#state !== "opening" && at + 2 <= bytes.length) {
      const kind = bytes[at]! & 0x0f;
      const short = bytes[at + 1]!;
      const from = at + (short < 126 ? 2 : 4);
      if (short > 126 || (kind !== TEXT && kind !== BINARY)) {
        throw new WrongAnswer(`A frame of kind ${kind}: ${bytes.toString("utf8", at, at + 200)}`);
      }
      if (from > bytes.length) break;
      const to = from + (short < 126 ? short : bytes.readUInt16BE(at + 2));
      if (to > bytes.length) break;
      if (this.#state === "listening") this.#ears.hear(this.#heard++, bytes, from, to);
      else this.#readAnswer(bytes.toString("utf8", from, to));
      at = to;
    }
    return at;
  }

  /** Messages before the join's reply do not count. */
  #readAnswer(text: string): void {
    const [, , , event, payload] = JSON.parse(text) as [
      unknown,
      unknown,
      unknown,
      string,
      { status: string },
    ];
    if (event !== "phx_reply") return;
    if (payload.status !== "ok") throw new WrongAnswer(`A join was answered ${text}`);
    this.#state = "listening";
    this.#joined.resolve();
  }

  #fail(error: Error): void {
    this.#joined.reject(error);
    this.#ears.fail(error);
  }
}
