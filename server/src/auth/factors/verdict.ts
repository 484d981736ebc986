// What an answer to a factor's challenge proves.
import type { ServiceError } from "../../platform/errors.ts";
import type { FactorChanges } from "./queries.ts";

/** What changes in the factor, or why the answer is refused. */
export type Verdict = { readonly changes: FactorChanges } | { readonly refusal: ServiceError };
