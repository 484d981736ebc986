// Checks a form with its zod schema, which is fetched once somebody types: zod and the schemas are 26 KB, a quarter of what
// a page may send before it can be used. When they cannot be fetched the form goes out unchecked: the function checks the same.
import { useEffect, useState } from "react";
import type { FieldValues, Resolver, UseFormReturn } from "react-hook-form";
import type { ZodType } from "zod";
import { logError } from "#lib/browser/error-log.ts";

type Schemas = typeof import("contract/schemas");

const load = () => Promise.all([import("contract/schemas"), import("@hookform/resolvers/zod")]);
let loading: ReturnType<typeof load> | undefined;

/** Undefined when there is no network. The next call tries again. */
function loadSchemas(): Promise<Awaited<ReturnType<typeof load>> | undefined> {
  loading ??= load();
  return loading.catch((error: unknown) => {
    loading = undefined;
    logError("load the checks of a form", error);
    return undefined;
  });
}

export function lateResolver<Input extends FieldValues, Output>(
  schemaOf: (schemas: Schemas) => ZodType<Output, Input>,
): Resolver<Input, unknown, Output> {
  return async (values, context, options) => {
    const loaded = await loadSchemas();
    if (!loaded) return { values: values as unknown as Output, errors: {} };
    const [schemas, { zodResolver }] = loaded;
    return zodResolver(schemaOf(schemas))(values, context, options);
  };
}

/** So that sending the form does not wait for them. */
export function useSchemasOnceTyped<Input extends FieldValues, Output>({
  subscribe,
}: UseFormReturn<Input, unknown, Output>): void {
  useEffect(
    () => subscribe({ formState: { values: true }, callback: () => void loadSchemas() }),
    [subscribe],
  );
}

/** The schemas, for what a form shows of its state: undefined until they are wanted and loaded. */
export function useSchemas(isWanted: boolean): Schemas | undefined {
  const [schemas, setSchemas] = useState<Schemas>();
  useEffect(() => {
    if (isWanted) void loadSchemas().then((loaded) => setSchemas(loaded?.[0]));
  }, [isWanted]);
  return schemas;
}
