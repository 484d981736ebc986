// Clients with keep-alive connections, each sending its next request as soon as the last is answered. Bare sockets, because
// the driver shares two cores with what it measures: fetch would cost more than the server's own part.
import { connect, type Socket } from "node:net";

export interface Answer {
  readonly status: number;
  readonly body: string;
  /** From the first byte sent to the last one read. */
  readonly milliseconds: number;
}

export interface HttpClients {
  /**
   * Every client sends what `ask` returns until the time is over or it returns undefined, and passes the answer to `hear`.
   * Resolves with the seconds until the last answer arrived. Rejects when a connection breaks or `hear` throws.
   */
  run<Question extends { readonly text: string }>(
    seconds: number,
    ask: () => Question | undefined,
    hear: (answer: Answer, question: Question) => void,
  ): Promise<number>;
  close(): void;
}

export async function openHttpClients(url: string, count: number): Promise<HttpClients> {
  const clients = await Promise.all(Array.from({ length: count }, () => openClient(url)));
  return {
    async run(seconds, ask, hear) {
      const started = performance.now();
      const until = started + seconds * 1000;
      await Promise.all(
        clients.map(async (client) => {
          while (performance.now() < until) {
            const question = ask();
            if (!question) return;
            hear(await client.ask(question.text), question);
          }
        }),
      );
      return (performance.now() - started) / 1000;
    },
    close: () => clients.forEach((client) => client.close()),
  };
}

export interface Client {
  ask(text: string): Promise<Answer>;
  close(): void;
}

export async function openClient(url: string): Promise<Client> {
  const { hostname: host, port } = new URL(url);
  const socket = connect({ host, port: Number(port), noDelay: true });
  await new Promise<void>((open, fail) => socket.once("connect", open).once("error", fail));
  return clientOn(socket);
}

function clientOn(socket: Socket): Client {
  let waiting:
    | { started: number; settle: (answer: Answer) => void; fail: (error: Error) => void }
    | undefined;
  let received = "";
  // Every answer measured here is ASCII, so a character is a byte.
  socket.setEncoding("latin1");
  socket.on("data", (chunk: string) => {
    received += chunk;
    const whole = parse(received);
    if (!whole || !waiting) return;
    const { started, settle } = waiting;
    waiting = undefined;
    received = "";
    settle({ ...whole, milliseconds: performance.now() - started });
  });
  const broken = (error?: Error) => waiting?.fail(error ?? new Error("The server closed the connection."));
  socket.on("error", broken).on("close", () => broken());
  return {
    ask: (text) =>
      new Promise((settle, fail) => {
        waiting = { started: performance.now(), settle, fail };
        if (socket.destroyed) broken();
        else socket.write(text);
      }),
    close: () => socket.destroy(),
  };
}

/** Undefined until the whole answer has arrived. */
function parse(text: string): { status: number; body: string } | undefined {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const head = text.slice(0, end);
  const rest = text.slice(end + 4);
  const status = Number(head.slice(9, 12));
  if (status === 204 || status === 304) return { status, body: "" };
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (length !== undefined) return rest.length >= Number(length) ? { status, body: rest } : undefined;
  if (!rest.endsWith("0\r\n\r\n")) return undefined;
  return { status, body: rest.replace(/(?:^|\r\n)[0-9a-f]+\r\n/gi, "").replace(/\r\n$/, "") };
}

type Headers = Readonly<Record<string, string>>;

export const post = (path: string, headers: Headers, body: unknown): string =>
  postText(path, { ...headers, "content-type": "application/json" }, JSON.stringify(body));

export const postForm = (path: string, headers: Headers, fields: Readonly<Record<string, string>>): string =>
  postText(
    path,
    { ...headers, "content-type": "application/x-www-form-urlencoded" },
    new URLSearchParams(fields).toString(),
  );

function postText(path: string, headers: Headers, text: string): string {
  const lines = Object.entries({ host: "localhost", ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `POST ${path} HTTP/1.1\r\n${lines.join("")}content-length: ${text.length}\r\n\r\n${text}`;
}
