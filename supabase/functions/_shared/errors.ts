// How a function refuses: with a code of the contract and a message that is safe to show.
import type { FunctionErrorCode } from "contract/errors";

/** `handler.ts` turns it into the response; the cause is only logged. */
export class FunctionError extends Error {
  readonly code: FunctionErrorCode;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(
    code: FunctionErrorCode,
    message: string,
    options: { cause?: unknown; details?: Readonly<Record<string, unknown>> | undefined } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = "FunctionError";
    this.code = code;
    this.details = options.details;
  }
}
