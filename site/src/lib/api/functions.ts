// Calls the server's functions and turns error responses (contract/errors) into one error class.
import {
  functionErrorStatus,
  readFunctionError,
  type FunctionErrorBody,
  type FunctionErrorCode,
} from "contract/errors";
import { logError } from "../browser/error-log.ts";
import { noteServerTime } from "../time/server-clock.ts";
import { UNREACHABLE } from "./refusal.ts";
import { getSupabase, type Supabase } from "./supabase.ts";

type Refusal = FunctionErrorBody["error"];

interface RefusedEntry {
  path: string;
  message: string;
}

/**
 * An error from the server, or "unreachable" when there was no readable response. The message may be shown to
 * the user.
 */
export class FunctionError extends Error {
  readonly code: FunctionErrorCode | "unreachable";
  readonly refusal: Refusal | undefined;
  /** With `invalid_request`: the refused entries, by their path in the body. */
  readonly issues: readonly RefusedEntry[];

  /** `reference` finds the request in the server's log. */
  constructor(
    refusal?: Refusal,
    { reference, ...options }: ErrorOptions & { readonly reference?: string | undefined } = {},
  ) {
    const issues = refusedEntries(refusal);
    const message = issues[0] ? entryWords(issues[0]) : (refusal?.message ?? UNREACHABLE);
    super(reference === undefined ? message : `${message} (Reference: ${reference})`, options);
    this.name = "FunctionError";
    this.code = refusal?.code ?? "unreachable";
    this.refusal = refusal;
    this.issues = issues;
  }
}

function refusedEntries(refusal: Refusal | undefined): readonly RefusedEntry[] {
  const issues = refusal?.code === "invalid_request" ? refusal.details?.issues : undefined;
  return Array.isArray(issues) ? issues.filter(isRefusedEntry) : [];
}

const isRefusedEntry = (entry: unknown): entry is RefusedEntry =>
  typeof entry === "object" &&
  entry !== null &&
  ["path", "message"].every((field) => typeof Reflect.get(entry, field) === "string");

/** Our schemas' messages may be shown; the validation library's own ("Too big: expected …") may not. */
function entryWords({ message }: RefusedEntry): string {
  return /^(Too |Invalid (?!email)|Unrecognized)/.test(message)
    ? "Something you entered was not accepted. Please check your entries and try again."
    : message;
}

/** The caller asserts the shape of the response and must check what matters. @throws FunctionError */
export async function callFunction<Answer>(
  name: string,
  body?: Record<string, unknown>,
  headers: Record<string, string> = {},
): Promise<Partial<Answer>> {
  return (await call<Partial<Answer>>(name, body, headers)) ?? {};
}

/** For a function that returns a file. @throws FunctionError */
export async function callForFile(name: string, body: Record<string, unknown>): Promise<Blob> {
  const file = await call<unknown>(name, body);
  if (file instanceof Blob) return file;
  logError(`call ${name}`, "the answer is not a file");
  throw new FunctionError();
}

async function call<Answer>(
  name: string,
  body?: Record<string, unknown>,
  headers: Record<string, string> = {},
): Promise<Answer | null> {
  const supabase = await getSupabase().catch((error: unknown) => {
    logError("load the client", error);
    throw new FunctionError();
  });
  const token = await accessToken(supabase);
  const { data, error, response } = await supabase.functions.invoke<Answer>(name, {
    ...(body && { body }),
    headers: { ...headers, ...(token !== undefined && { Authorization: `Bearer ${token}` }) },
  });
  noteServerTime(response);
  if (!error) return data;
  const answer: unknown =
    response instanceof Response ? await response.json().catch(() => undefined) : undefined;
  const refusal = readFunctionError(answer);
  // The session is no longer valid, unless another has replaced it since. Signing in again leads back to where the buyer was.
  if (refusal?.code === "unauthorized" && token === (await accessToken(supabase))) {
    await supabase.auth.signOut({ scope: "local" });
  }
  // Of FunctionsFetchError, only the context says why.
  throw new FunctionError(
    refusal,
    refusal ? { reference: referenceOf(refusal, response) } : { cause: error.context },
  );
}

/** Of a failure that is ours. The platform and our server name a request by the same header. */
function referenceOf({ code }: Refusal, response: unknown): string | undefined {
  if (functionErrorStatus[code] < 500 || code === "too_busy" || !(response instanceof Response))
    return undefined;
  return response.headers.get("x-request-id")?.slice(0, 8);
}

const accessToken = async ({ auth }: Supabase) => (await auth.getSession()).data.session?.access_token;
