// Confines a failure inside pg to its connection. pg parses PostgreSQL's messages in the socket's event handler: a value too
// long for a string, or a message it cannot read, would be thrown where nothing can catch it.
import type { Duplex } from "node:stream";
import pg from "pg";

/** What pg does not declare on its connection; `stream` is replaced when TLS begins. */
interface Wire {
  stream: Duplex;
  attachListeners(stream: Duplex): void;
}

const wireOf = (client: pg.Client) => (client as unknown as { connection: Wire }).connection;

function contain(stream: Duplex): void {
  const { emit } = stream;
  stream.emit = (event: string, ...values: unknown[]) => {
    if (event !== "data") return emit.call(stream, event, ...values);
    try {
      return emit.call(stream, event, ...values);
    } catch (error) {
      stream.destroy(error as Error);
      return true;
    }
  };
}

/** A client that rejects its queries and closes its connection when reading an answer fails, or when PostgreSQL shuts down. */
export class GuardedClient extends pg.Client {
  /** What broke the connection. */
  failure: Error | undefined;

  constructor(config?: string | pg.ClientConfig) {
    super(config);
    // From the start: while a pool hands it over nobody else listens, and an unhandled error ends the process.
    this.on("error", (error) => {
      this.failure ??= error;
    });
    const wire = wireOf(this);
    const attach = wire.attachListeners.bind(wire);
    wire.attachListeners = (stream) => {
      contain(stream);
      attach(stream);
    };
  }
}
