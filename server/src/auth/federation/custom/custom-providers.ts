// Custom providers as an administrator adds, changes and removes them: /admin/custom-providers. Addresses must be encrypted
// and public, and an issuer is stored only after it has answered with its metadata.
import { randomUUID } from "node:crypto";
import * as oidc from "openid-client";
import { z } from "zod";
import { refuse } from "../../errors.ts";
import { members } from "../../http/requests.ts";
import type { AuthParts } from "../../parts.ts";
import { NotReachable } from "../outward.ts";
import { Configurations } from "../providers/provider.ts";
import { RESERVED } from "../reserved.ts";
import {
  type CustomProvider,
  type CustomProviderRow,
  deleteCustomProvider,
  findCustomProvider,
  insertCustomProvider,
  listCustomProviders,
  updateCustomProvider,
} from "./queries.ts";

const MOST = 50;
const words = z.array(z.string().min(1).max(512)).max(50).nullish();
const flag = z.boolean().nullish();

export const customProviderBody = z.object({
  provider_type: members.text,
  identifier: members.text,
  name: members.text,
  client_id: members.text,
  client_secret: members.text,
  acceptable_client_ids: words,
  scopes: words,
  pkce_enabled: flag,
  attribute_mapping: members.record,
  authorization_params: z.record(z.string(), z.string().max(1024)).nullish(),
  custom_claims_allowlist: words,
  enabled: flag,
  email_optional: flag,
  issuer: members.text,
  discovery_url: members.text,
  skip_nonce_check: flag,
  authorization_url: members.text,
  token_url: members.text,
  userinfo_url: members.text,
  jwks_uri: members.text,
});
export type CustomProviderBody = z.output<typeof customProviderBody>;

const invalid = (message: string) => refuse("validation_failed", message);

const view = ({ client_secret: _, ...row }: CustomProviderRow) =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));

export async function customProviders(parts: AuthParts, type: string | undefined) {
  if (type !== undefined && type !== "oauth2" && type !== "oidc")
    throw invalid("type must be either 'oauth2' or 'oidc'");
  return { providers: (await listCustomProviders(parts.database, type)).map(view) };
}

export const customProvider = async (parts: AuthParts, identifier: string) =>
  view(await existing(parts, identifier));

async function existing(parts: AuthParts, identifier: string): Promise<CustomProviderRow> {
  checkIdentifier(identifier);
  const row = await findCustomProvider(parts.database, identifier);
  if (!row) throw refuse("custom_provider_not_found");
  return row;
}

function checkIdentifier(identifier: string): void {
  if (identifier === "") throw invalid("identifier is required");
  if (!identifier.startsWith("custom:"))
    throw invalid(`identifier must start with 'custom:' prefix, e.g. 'custom:${identifier}'`);
}

export async function addCustomProvider(parts: AuthParts, body: CustomProviderBody) {
  if (body.provider_type !== "oauth2" && body.provider_type !== "oidc")
    throw invalid("provider_type must be either 'oauth2' or 'oidc'");
  checkIdentifier(body.identifier);
  if (!/^custom:[a-z0-9][a-z0-9:_-]{0,48}$/.test(body.identifier))
    throw invalid("identifier may have small letters, digits, and - _ : between them");
  for (const member of ["name", "client_id", "client_secret"] as const)
    if (body[member] === "") throw invalid(`${member} is required`);
  const given = merged(body, undefined);
  await checkAddresses(parts, given);
  if ((await listCustomProviders(parts.database)).length >= MOST)
    throw refuse("conflict", "Maximum number of custom OAuth/OIDC providers reached", { status: 400 });
  const id = randomUUID();
  const secret = parts.atRest.seal(body.client_secret, id);
  await insertCustomProvider(parts.database, id, given, secret, new Date(parts.clock.now())).catch(
    (error: unknown) => {
      if ((error as { code?: string }).code !== "23505") throw error;
      const message = "A custom OAuth provider with this identifier already exists";
      throw refuse("conflict", message, { status: 400, cause: error });
    },
  );
  return view(await existing(parts, given.identifier));
}

export async function changeCustomProvider(parts: AuthParts, identifier: string, body: CustomProviderBody) {
  const row = await existing(parts, identifier);
  const given = merged(body, row);
  await checkAddresses(parts, given);
  const secret =
    body.client_secret === "" ? row.client_secret : parts.atRest.seal(body.client_secret, row.id);
  await updateCustomProvider(parts.database, row.id, given, secret, new Date(parts.clock.now()));
  return view(await existing(parts, identifier));
}

export async function removeCustomProvider(parts: AuthParts, identifier: string): Promise<void> {
  await deleteCustomProvider(parts.database, (await existing(parts, identifier)).id);
}

/** What is stored: the body's members, otherwise the previous ones, otherwise GoTrue's defaults. */
function merged(body: CustomProviderBody, before: CustomProvider | undefined): CustomProvider {
  const type = before?.provider_type ?? (body.provider_type as CustomProvider["provider_type"]);
  const own = (member: keyof typeof body & keyof CustomProvider, isMine: boolean) =>
    isMine ? (body[member] as string) || ((before?.[member] as string | null | undefined) ?? null) : null;
  const isOidc = type === "oidc";
  const scopes = body.scopes ?? before?.scopes ?? [];
  const given: CustomProvider = {
    provider_type: type,
    identifier: before?.identifier ?? body.identifier,
    name: body.name || before!.name,
    client_id: body.client_id || before!.client_id,
    acceptable_client_ids: body.acceptable_client_ids ?? before?.acceptable_client_ids ?? [],
    scopes: isOidc && !scopes.includes("openid") ? ["openid", ...scopes] : scopes,
    pkce_enabled: body.pkce_enabled ?? before?.pkce_enabled ?? true,
    attribute_mapping: body.attribute_mapping ?? before?.attribute_mapping ?? {},
    authorization_params: body.authorization_params ?? before?.authorization_params ?? {},
    custom_claims_allowlist: body.custom_claims_allowlist ?? before?.custom_claims_allowlist ?? [],
    enabled: body.enabled ?? before?.enabled ?? true,
    email_optional: body.email_optional ?? before?.email_optional ?? false,
    issuer: own("issuer", isOidc),
    discovery_url: own("discovery_url", isOidc),
    skip_nonce_check: body.skip_nonce_check ?? before?.skip_nonce_check ?? false,
    authorization_url: own("authorization_url", !isOidc),
    token_url: own("token_url", !isOidc),
    userinfo_url: own("userinfo_url", !isOidc),
    jwks_uri: own("jwks_uri", !isOidc),
  };
  checkMembers(given);
  return given;
}

/** Members that a provider's claims may never set. */
const PROTECTED: ReadonlySet<string> = new Set([
  ...["id", "aud", "role", "app_metadata", "created_at", "updated_at", "confirmed_at", "email_confirmed_at"],
  ...["phone_confirmed_at", "banned_until", "is_super_admin"],
]);

function checkMembers(given: CustomProvider): void {
  const needed =
    given.provider_type === "oidc"
      ? (["issuer"] as const)
      : (["authorization_url", "token_url", "userinfo_url"] as const);
  const kind = given.provider_type === "oidc" ? "OIDC" : "OAuth2";
  for (const member of needed)
    if (given[member] === null) throw invalid(`${member} is required for ${kind} providers`);
  for (const name of Object.keys(given.authorization_params))
    if (RESERVED.has(name.toLowerCase())) throw invalid(`Cannot override reserved OAuth parameter: ${name}`);
  for (const target of Object.keys(given.attribute_mapping))
    if (PROTECTED.has(target)) throw invalid(`Cannot map to protected system field: ${target}`);
}

async function checkAddresses(parts: AuthParts, given: CustomProvider): Promise<void> {
  const { issuer, discovery_url, authorization_url, token_url, userinfo_url, jwks_uri } = given;
  for (const address of [issuer, discovery_url, authorization_url, token_url, userinfo_url, jwks_uri]) {
    if (address === null) continue;
    const isGood = URL.canParse(address) && parts.mayReach(new URL(address));
    if (!isGood) throw invalid(`${address} is not a public https address`);
  }
  if (issuer === null) return;
  const server = { issuer: discovery_url ?? issuer };
  const asked = { name: "check", clientId: "-", clientAuth: oidc.None(), server, reach: parts.reachProvided };
  const configuration = await new Configurations().of(asked, 0).catch((error: unknown) => {
    const why = error instanceof NotReachable ? error.message : "its discovery document cannot be read";
    throw refuse("validation_failed", `Issuer ${issuer}: ${why}`, { cause: error });
  });
  if (configuration.serverMetadata().issuer !== issuer)
    throw invalid(`Issuer ${issuer}: its discovery document names another issuer`);
}
