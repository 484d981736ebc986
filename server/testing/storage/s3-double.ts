// An S3 service beside the server, which outlives it: s3rver. A kill can be timed to its requests: before one is handled, which then
// gets no answer, or after it was handled and before its answer is sent.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import S3rver from "s3rver";
import type { S3Settings } from "../../src/storage/bytes/s3-store.ts";

export interface S3Step {
  readonly request: "put" | "copy" | "delete" | "get";
  readonly when: "before" | "after";
}

export interface S3Double {
  readonly settings: S3Settings;
  /** Calls `strike` when a request next reaches the step. */
  on(step: S3Step, strike: () => void): void;
  off(): void;
  close(): Promise<void>;
}

export async function startS3(directory: string): Promise<S3Double> {
  const s3 = new S3rver({
    ...{ port: 0, address: "127.0.0.1", silent: true, directory: join(directory, "s3") },
    configureBuckets: [{ name: "festival", configs: [] }],
  });
  await s3.run();
  const { httpServer } = s3;
  const [handle] = httpServer.listeners("request") as ((
    request: IncomingMessage,
    response: ServerResponse,
  ) => void)[];
  let waiting: (S3Step & { strike: () => void }) | undefined;
  const isReached = (kind: S3Step["request"] | undefined, when: S3Step["when"]) => {
    if (!waiting || waiting.request !== kind || waiting.when !== when) return false;
    const { strike } = waiting;
    waiting = undefined;
    strike();
    return true;
  };
  httpServer.removeAllListeners("request");
  httpServer.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const kind = kindOf(request);
    if (isReached(kind, "before")) {
      request.socket.destroy();
      return;
    }
    const end = response.end.bind(response) as (...args: unknown[]) => ServerResponse;
    response.end = (...args: unknown[]) => {
      isReached(kind, "after");
      return end(...args);
    };
    handle!(request, response);
  });
  return {
    settings: {
      endpoint: `http://127.0.0.1:${(httpServer.address() as AddressInfo).port}`,
      ...{ bucket: "festival", key: "S3RVER", secret: "S3RVER", region: "us-east-1" },
    },
    on: (step, strike) => {
      waiting = { ...step, strike };
    },
    off: () => {
      waiting = undefined;
    },
    close: () => s3.close(),
  };
}

function kindOf({ method, url = "", headers }: IncomingMessage): S3Step["request"] | undefined {
  if (method === "PUT") return headers["x-amz-copy-source"] === undefined ? "put" : "copy";
  if (method === "POST" && url.includes("delete")) return "delete";
  return method === "GET" && !url.includes("list-type") ? "get" : undefined;
}
