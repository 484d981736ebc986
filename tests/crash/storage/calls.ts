// The storage API over HTTP as the service role, at the server's current address. No call rejects: a broken connection is an answer
// with status 0, because that is what a crash looks like from outside.
import type { Whereabouts } from "../api.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer<ArrayBuffer>;
}

interface Content {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | object;
}

/** `path`: below /storage/v1, or a whole path of this server. */
export type Ask = (method: string, path: string, content?: Content) => Promise<Answer>;

const BROKEN_MS = 30_000;

export function createCalls(whereabouts: Whereabouts): Ask {
  return async (method, path, { headers = {}, body } = {}) => {
    const { API_URL, SERVICE_ROLE_KEY } = whereabouts();
    const raw = Buffer.isBuffer(body);
    try {
      const answer = await fetch(`${API_URL}${path.startsWith("/storage/v1") ? "" : "/storage/v1"}${path}`, {
        method,
        headers: {
          ...{ apikey: SERVICE_ROLE_KEY!, authorization: `Bearer ${SERVICE_ROLE_KEY}` },
          ...(body && !raw ? { "content-type": "application/json" } : {}),
          ...headers,
        },
        ...(body ? { body: raw ? new Uint8Array(body) : JSON.stringify(body) } : {}),
        signal: AbortSignal.timeout(BROKEN_MS),
      });
      const bytes = Buffer.from(await answer.arrayBuffer());
      return { status: answer.status, headers: answer.headers, bytes };
    } catch {
      return { status: 0, headers: new Headers(), bytes: Buffer.alloc(0) };
    }
  };
}

export const isDone = ({ status }: Answer) => status >= 200 && status < 300;
/** The server died, or PostgreSQL or S3 did not answer: the change may have happened. */
export const isInDoubt = ({ status }: Answer) => status === 0 || status === 429 || status >= 500;

/** Of a refusal: storage-api's code. */
export function codeOf({ bytes }: Answer): string | undefined {
  try {
    return (JSON.parse(bytes.toString()) as { code?: string }).code;
  } catch {
    return undefined;
  }
}
