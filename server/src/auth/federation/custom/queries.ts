// The SQL of custom providers.
import type { Executor } from "../../../postgres/executor.ts";

/** What an administrator sets, under GoTrue's names, which are also the columns' names. */
export interface CustomProvider {
  readonly provider_type: "oauth2" | "oidc";
  readonly identifier: string;
  readonly name: string;
  readonly client_id: string;
  readonly acceptable_client_ids: readonly string[];
  readonly scopes: readonly string[];
  readonly pkce_enabled: boolean;
  readonly attribute_mapping: Readonly<Record<string, unknown>>;
  readonly authorization_params: Readonly<Record<string, string>>;
  readonly custom_claims_allowlist: readonly string[];
  readonly enabled: boolean;
  readonly email_optional: boolean;
  readonly issuer: string | null;
  readonly discovery_url: string | null;
  readonly skip_nonce_check: boolean;
  readonly authorization_url: string | null;
  readonly token_url: string | null;
  readonly userinfo_url: string | null;
  readonly jwks_uri: string | null;
}

export interface CustomProviderRow extends CustomProvider {
  readonly id: string;
  /** Sealed, bound to the row's id. */
  readonly client_secret: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const COLUMNS = [
  ...(["provider_type", "identifier", "name", "client_id", "acceptable_client_ids", "scopes"] as const),
  ...(["pkce_enabled", "attribute_mapping", "authorization_params", "custom_claims_allowlist"] as const),
  ...(["enabled", "email_optional", "issuer", "discovery_url", "skip_nonce_check"] as const),
  ...(["authorization_url", "token_url", "userinfo_url", "jwks_uri"] as const),
] satisfies readonly (keyof CustomProvider)[];

const JSON_COLUMNS: ReadonlySet<string> = new Set(["attribute_mapping", "authorization_params"]);
const valuesOf = (given: CustomProvider) =>
  COLUMNS.map((column) => (JSON_COLUMNS.has(column) ? JSON.stringify(given[column]) : given[column]));

const ALL = `select id, client_secret, created_at, updated_at, ${COLUMNS.join(", ")} from auth.custom_oauth_providers`;

export async function findCustomProvider(
  tx: Executor,
  identifier: string,
): Promise<CustomProviderRow | undefined> {
  const { rows } = await tx.query<CustomProviderRow>(`${ALL} where identifier = $1`, [identifier]);
  return rows[0];
}

export async function listCustomProviders(tx: Executor, type?: string): Promise<CustomProviderRow[]> {
  const where = "where $1::text is null or provider_type = $1 order by created_at, identifier";
  return (await tx.query<CustomProviderRow>(`${ALL} ${where}`, [type ?? null])).rows;
}

/** Rejects with SQLSTATE 23505 when the identifier is taken. */
export async function insertCustomProvider(
  tx: Executor,
  id: string,
  given: CustomProvider,
  sealedSecret: string,
  now: Date,
): Promise<void> {
  const places = COLUMNS.map((_, index) => `$${index + 4}`);
  await tx.query(
    `insert into auth.custom_oauth_providers (id, client_secret, created_at, updated_at, ${COLUMNS.join(", ")})
     values ($1, $2, $3, $3, ${places.join(", ")})`,
    [id, sealedSecret, now, ...valuesOf(given)],
  );
}

export async function updateCustomProvider(
  tx: Executor,
  id: string,
  given: CustomProvider,
  sealedSecret: string,
  now: Date,
): Promise<void> {
  const assignments = COLUMNS.map((column, index) => `${column} = $${index + 4}`);
  await tx.query(
    `update auth.custom_oauth_providers set client_secret = $2, updated_at = $3, ${assignments.join(", ")} where id = $1`,
    [id, sealedSecret, now, ...valuesOf(given)],
  );
}

export async function deleteCustomProvider(tx: Executor, id: string): Promise<void> {
  await tx.query("delete from auth.custom_oauth_providers where id = $1", [id]);
}
