// Calls the server's functions and turns their refusals (contract/errors) into one error class.
import { readFunctionError, type FunctionErrorBody, type FunctionErrorCode } from "contract/errors";
import { noteServerTime } from "./server-clock.ts";
import { getSupabase } from "./supabase.ts";

type Refusal = FunctionErrorBody["error"];

/** A refusal, or "unreachable" when no answer came that could be understood. The message can be shown. */
export class FunctionError extends Error {
  readonly code: FunctionErrorCode | "unreachable";
  readonly refusal: Refusal | undefined;

  constructor(refusal?: Refusal) {
    super(refusal?.message ?? "The server could not be reached. Please check your connection and try again.");
    this.name = "FunctionError";
    this.code = refusal?.code ?? "unreachable";
    this.refusal = refusal;
  }
}

/** The answer's shape is the caller's claim: what matters is read defensively. @throws FunctionError */
export async function callFunction<Answer>(
  name: string,
  body?: Record<string, unknown>,
  headers: Record<string, string> = {},
): Promise<Partial<Answer>> {
  const supabase = await getSupabase();
  const { data, error, response } = await supabase.functions.invoke<Partial<Answer>>(name, {
    ...(body && { body }),
    headers,
  });
  noteServerTime(response);
  if (!error) return data ?? {};
  const answer: unknown =
    response instanceof Response ? await response.json().catch(() => undefined) : undefined;
  throw new FunctionError(readFunctionError(answer));
}
