// A hook called over HTTP: signed according to Standard Webhooks, tried three times within five seconds. Limits, statuses and
// wording are GoTrue's.
import { createHmac, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { ServiceError } from "../../platform/errors.ts";
import { refuse } from "../errors.ts";

const TRIES = 3;
const MOST_BYTES = 200 * 1024;

export interface HookPatience {
  /** For all attempts together. */
  readonly mostMs: number;
  readonly pauseMs: number;
}
const GOTRUE_PATIENCE: HookPatience = { mostMs: 5000, pauseMs: 2000 };

export interface HttpHook {
  readonly uri: string;
  /** `v1,whsec_<base64>`, several separated by `|`: each of them signs. */
  readonly secrets: string;
}

/** The hook's JSON answer; undefined for 204. Refuses in GoTrue's words. */
export async function askOverHttp(
  hook: HttpHook,
  payload: object,
  { mostMs, pauseMs }: HookPatience = GOTRUE_PATIENCE,
): Promise<unknown> {
  const body = JSON.stringify(payload);
  const signal = AbortSignal.timeout(mostMs);
  const tooLate = (cause: unknown) =>
    refuse(
      "hook_timeout",
      `Failed to reach hook within maximum time of ${(mostMs / 1000).toFixed(6)} seconds`,
      {
        cause,
      },
    );
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    try {
      const response = await fetch(hook.uri, {
        method: "POST",
        headers: { "content-type": "application/json", ...signatureOf(hook.secrets, body) },
        body,
        signal,
        redirect: "error",
      });
      const answer = await answerOf(response);
      if (answer !== "again") return answer;
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      if (signal.aborted) throw tooLate(error);
      if (attempt === TRIES) throw refuse("hook_timeout_after_retry", undefined, { cause: error });
      await sleep(pauseMs, undefined, { signal }).catch((cause: unknown) => {
        throw tooLate(cause);
      });
    }
  }
  throw failed("Service currently unavailable due to hook");
}

/** https://www.standardwebhooks.com: a new id for each attempt, the time in seconds, and an HMAC of both with the body. */
function signatureOf(secrets: string, body: string): Record<string, string> {
  const id = randomUUID();
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signatures = secrets.split("|").map((secret) => {
    const key = Buffer.from(secret.replace(/^v1,whsec_/, ""), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
  });
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    // The standard's separator. GoTrue puts a comma before it, which not every library accepts.
    "webhook-signature": signatures.join(" "),
  };
}

const failed = (message: string) => refuse("unexpected_failure", message);

async function answerOf(response: Response): Promise<unknown> {
  switch (response.status) {
    case 200:
    case 202:
    case 204:
      return read(response);
    case 429:
    case 503:
      if (response.headers.has("retry-after")) return "again";
      throw failed("Service currently unavailable due to hook");
    case 400:
      throw failed("Invalid payload sent to hook");
    case 401:
      throw failed("Hook requires authorization token");
    default:
      throw failed(`Unexpected status code returned from hook: ${response.status}`);
  }
}

async function read(response: Response): Promise<unknown> {
  const type = response.headers.get("content-type") ?? "";
  if (type === "" && response.status === 204) return undefined;
  const wrongType = (words: string) => refuse("hook_payload_invalid_content_type", words, { status: 400 });
  if (type === "") throw wrongType("Invalid Content-Type: Missing Content-Type header");
  if (type.split(";")[0]!.trim().toLowerCase() !== "application/json")
    throw wrongType(`Invalid JSON response. Received content-type: ${type}`);
  const text = await readUpTo(response, MOST_BYTES);
  if (text === undefined)
    throw refuse("hook_payload_over_size_limit", `Payload size exceeded size limit of ${MOST_BYTES} bytes`);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw refuse("unexpected_failure", "Error unmarshaling JSON output.", { cause: error });
  }
}

/** Undefined when there is more; the rest is not read. */
async function readUpTo(response: Response, most: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > most) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
