// Whether the client still waits for an answer. When it leaves, its queries are cancelled.

export interface Departure {
  readonly gone: boolean;
  /** Calls back once if the client leaves before its answer; returns a function that stops listening. */
  onGone(callback: () => void): () => void;
}

/** The part of an HTTP response that is read. */
interface Outgoing {
  readonly destroyed: boolean;
  readonly writableFinished: boolean;
  /**
   * Node ends the socket as soon as it has read the client's end, and destroys the response a few turns of the event loop
   * later.
   */
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
