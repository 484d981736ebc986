// A port that nobody listens on, for a server whose address somebody must know before it starts.
import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Below what systems give to whoever asks for any: between the look and the start no connection takes it. */
export async function freePort(): Promise<number> {
  const port = randomInt(20_000, 32_000);
  return (await isFree(port)) ? port : freePort();
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const listens = await new Promise<boolean>((done) => {
    server.once("error", () => done(false)).listen(port, "127.0.0.1", () => done(true));
  });
  await new Promise((done) => server.close(done));
  return listens;
}
