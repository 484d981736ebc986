// An HTTP proxy between browser and server that a test can cut in the middle of a body.
import { once } from "node:events";
import { createServer, type IncomingMessage, request as ask } from "node:http";
import type { AddressInfo } from "node:net";

interface Stopped {
  readonly bytes: number;
  cut(): void;
}

export interface CuttingProxy {
  /** Playwright's proxy settings. */
  readonly settings: { readonly server: string; readonly bypass: string };
  /** Lets only half of the body of this method's next request through. Resolves once it has. */
  stopNext(method: string): Promise<Stopped>;
  /** Holds answers to this method until the returned function is called. */
  holdAnswers(method: string): () => void;
  close(): void;
}

export async function openCuttingProxy(): Promise<CuttingProxy> {
  let stop: (PromiseWithResolvers<Stopped> & { readonly method: string }) | undefined;
  let held: (PromiseWithResolvers<void> & { readonly method: string }) | undefined;

  const server = createServer((request, response) => {
    const { method, headers, url } = request;
    const onward = ask(url!, { method: method!, headers }, async (answer) => {
      if (method === held?.method) await held?.promise;
      // Chromium resends a request when a reused connection is cut.
      response.writeHead(answer.statusCode!, { ...answer.headers, connection: "close" });
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    if (method !== stop?.method) return void request.pipe(onward);
    const { resolve } = stop!;
    stop = undefined;
    void passHalf(request, onward).then((bytes) => resolve({ bytes, cut: () => response.destroy() }));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return {
    // Chromium bypasses the proxy for this machine by default.
    settings: { server: `http://127.0.0.1:${port}`, bypass: "<-loopback>" },
    stopNext(method) {
      stop = { ...Promise.withResolvers<Stopped>(), method };
      return stop.promise;
    },
    holdAnswers(method) {
      held = { ...Promise.withResolvers<void>(), method };
      return held.resolve;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function passHalf(request: IncomingMessage, onward: NodeJS.WritableStream): Promise<number> {
  const half = Math.floor(Number(request.headers["content-length"]) / 2);
  let passed = 0;
  while (passed < half) {
    const part = request.read(Math.min(half - passed, request.readableLength)) as Buffer | null;
    if (part) onward.write(part);
    else await once(request, "readable");
    passed += part?.length ?? 0;
  }
  return half;
}
