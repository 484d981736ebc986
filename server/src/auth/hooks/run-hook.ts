// The hooks an operator can have auth call at certain moments, as GoTrue does. HOOK_<NAME>_URI is an address to post to
// (http-hook.ts), or pg-functions://postgres/<schema>/<function>, a function from jsonb to jsonb that supabase_auth_admin may
// execute.
import { randomUUID } from "node:crypto";
import { ServiceError } from "../../platform/errors.ts";
import type { Executor } from "../../postgres/executor.ts";
import { refuse } from "../errors.ts";
import type { AuthParts, AuthCaller } from "../parts.ts";
import { askOverHttp } from "./http-hook.ts";

/** The name of the setting, and the name in the payload. */
const HOOKS = {
  BEFORE_USER_CREATED: "before-user-created",
  CUSTOM_ACCESS_TOKEN: "customize-access-token",
  SEND_EMAIL: "send-email",
  SEND_SMS: "send-sms",
  PASSWORD_VERIFICATION_ATTEMPT: "password-verification",
  MFA_VERIFICATION_ATTEMPT: "mfa-verification",
} as const;
export type HookName = keyof typeof HOOKS;
type Output = Readonly<Record<string, unknown>>;

/** GoTrue's limit for a hook that is a function. */
const MOST_MS = 2000;

export const hasHook = ({ settings }: AuthParts, name: HookName) => settings[`HOOK_${name}_ENABLED`];

/**
 * The hook's answer, in the caller's transaction; undefined when there is no such hook. Refuses with the hook's own error, or
 * in GoTrue's words when it fails or takes too long.
 */
export async function runHook(
  parts: AuthParts,
  tx: Executor,
  caller: AuthCaller | undefined,
  name: HookName,
  input: Readonly<Record<string, unknown>>,
): Promise<Output | undefined> {
  if (!hasHook(parts, name)) return undefined;
  const uri = parts.settings[`HOOK_${name}_URI`];
  const metadata = {
    uuid: randomUUID(),
    time: new Date(parts.clock.now()),
    name: HOOKS[name],
    ...(caller?.ip !== undefined && { ip_address: caller.ip }),
  };
  const payload = { metadata, ...input };
  const secrets = parts.settings[`HOOK_${name}_SECRETS`];
  const isFunction = uri.startsWith("pg-functions:");
  const answer = isFunction ? callFunction(tx, uri, payload) : askOverHttp({ uri, secrets }, payload);
  const output = await answer.catch((error: unknown) => {
    const cause = new Error(`hook ${uri}`, { cause: error });
    const refusal =
      error instanceof ServiceError
        ? new ServiceError(error.status, error.code, error.message, { cause })
        : refuse("unexpected_failure", `Error running hook URI: ${uri}`, { cause });
    // A 500 is logged where all such refusals are.
    if (refusal.status < 500) parts.log.warn({ err: refusal }, "a hook failed");
    throw refusal;
  });
  const members = typeof output === "object" && output !== null ? (output as Output) : {};
  refuseAsTold(members);
  return members;
}

async function callFunction(tx: Executor, uri: string, input: object): Promise<unknown> {
  const [schema, name] = new URL(uri).pathname.slice(1).split("/").map(quoted);
  await tx.query(`set local statement_timeout = ${MOST_MS}`);
  await tx.query("set local role supabase_auth_admin");
  const { rows } = await tx.query<{ output: unknown }>(
    `select to_jsonb(${schema}.${name}($1::jsonb)) as output`,
    [JSON.stringify(input)],
  );
  await tx.query("set local role none");
  await tx.query("set local statement_timeout to default");
  return rows[0]?.output;
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** `{"error": {"http_code": 403, "message": "…"}}` */
function refuseAsTold({ error }: Output): void {
  if (typeof error !== "object" || error === null) return;
  const { http_code, message } = error as Output;
  if (typeof message !== "string" || message === "") return;
  const status = typeof http_code === "number" && http_code >= 400 && http_code < 600 ? http_code : 500;
  throw new ServiceError(status, status === 500 ? "unexpected_failure" : "unknown", message);
}
