// The body of an answer that Node has as a stream of its own, a file or another server's answer: a Web stream for whoever reads it as
// one, and the stream itself for the gateway, which pipes it into the socket. Through Web streams 50 MB came at half the rate of
// a piped file (npm run bench -- P14).
import { pipeline, type Readable, type Writable } from "node:stream";

/** Exactly one of `sendTo` and the stream itself is used, once. */
export class PipedBody extends ReadableStream<Uint8Array> {
  /** Sends everything and ends. A reader that leaves, or a source that fails halfway, ends both; what was sent by then cannot be taken back. */
  readonly sendTo: (reader: Writable) => void;

  /** `sendTo`: where there is a quicker way than through the stream. */
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
      { highWaterMark: 0 }, // nothing is opened before it is read
    );
    this.sendTo = sendTo;
  }
}

const bodies = new WeakMap<Response, PipedBody>();

/** Remembers the body beside its answer: asking an answer for its body would make a full Response of one that is not (response-headers.ts). */
export function answerWith(body: PipedBody, init: ResponseInit): Response {
  const answer = new Response(body, init);
  bodies.set(answer, body);
  return answer;
}

export const pipedBodyOf = (answer: Response): PipedBody | undefined => bodies.get(answer);
