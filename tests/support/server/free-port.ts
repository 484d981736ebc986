// A free port, for a server whose address must be known before it starts.
import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * Below the ports that systems assign automatically, so that no connection takes it between the check and the
 * start.
 */
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
