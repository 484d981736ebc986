// Whether somebody still waits for an answer. A client that goes away takes its questions with it.

export interface Departure {
  readonly gone: boolean;
  /** Calls back once if the client goes before its answer; returns how to stop listening. */
  onGone(callback: () => void): () => void;
}

/** What is read of an HTTP response. */
interface Outgoing {
  readonly destroyed: boolean;
  readonly writableFinished: boolean;
  /** Node ends it as soon as the client's end has been read, and destroys the response some turns of the event loop later. */
  readonly socket?: { readonly writableEnded: boolean } | null;
  once(event: "close", listener: () => void): unknown;
  off(event: "close", listener: () => void): unknown;
}

class ResponseDeparture implements Departure {
  readonly #outgoing: Outgoing;

  constructor(outgoing: Outgoing) {
    this.#outgoing = outgoing;
  }

  get gone() {
    const { destroyed, writableFinished, socket } = this.#outgoing;
    return (destroyed || socket?.writableEnded === true) && !writableFinished;
  }

  onGone(callback: () => void) {
    const outgoing = this.#outgoing;
    const onClose = () => {
      if (!outgoing.writableFinished) callback();
    };
    outgoing.once("close", onClose);
    return () => void outgoing.off("close", onClose);
  }
}

export const departureOf = (outgoing: Outgoing): Departure => new ResponseDeparture(outgoing);
