// The body of an answer that Node holds as a stream, a file or another server's answer. It is a Web stream for readers that
// want one, and gives the gateway the Node stream, which it pipes into the socket. Through Web streams 50 MB came at half the
// rate of a piped file (npm run bench -- P14).
import { pipeline, type Readable, type Writable } from "node:stream";

/** Use either `sendTo` or the stream itself, and only once. */
export class PipedBody extends ReadableStream<Uint8Array> {
  /**
   * Sends everything and ends. A reader that leaves, or a source that fails halfway, ends both; bytes already sent cannot be
   * taken back.
   */
  readonly sendTo: (reader: Writable) => void;

  /** `sendTo`: for a source with a faster way than through the stream. */
  constructor(open: () => Readable, sendTo = (reader: Writable) => void pipeline(open(), reader, () => {})) {
    let opened: Readable | undefined;
    let chunks: AsyncIterator<Uint8Array> | undefined;
    super(
      {
        async pull(stream) {
          opened ??= open();
          chunks ??= opened[Symbol.asyncIterator]();
          const { done, value } = await chunks.next();
          if (done) stream.close();
          else stream.enqueue(value);
        },
        cancel() {
          (opened ?? open()).destroy();
        },
      },
      { highWaterMark: 0 }, // nothing is opened before the first read
    );
    this.sendTo = sendTo;
  }
}

const bodies = new WeakMap<Response, PipedBody>();

/**
 * Stores the body alongside its answer: accessing `body` would turn a lightweight answer into a full Response
 * (response-headers.ts).
 */
export function answerWith(body: PipedBody, init: ResponseInit): Response {
  const answer = new Response(body, init);
  bodies.set(answer, body);
  return answer;
}

export const pipedBodyOf = (answer: Response): PipedBody | undefined => bodies.get(answer);
