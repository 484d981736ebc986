// Identity providers as an administrator adds, changes and removes them: /admin/sso/providers.
import { z } from "zod";
import { refuse } from "../errors.ts";
import { isUuid } from "../http/requests.ts";
import type { AuthParts } from "../parts.ts";
import { fetchIdpMetadata, parseIdpMetadata } from "./idp-metadata.ts";
import {
  deleteSsoProvider,
  findByDomain,
  findByEntityId,
  findSsoProvider,
  insertSsoProvider,
  listSsoProviders,
  type SsoProvider,
  type SsoProviderRow,
  updateSsoProvider,
} from "./queries.ts";
import { EMAIL_FORMAT, PERSISTENT_FORMAT, TRANSIENT_FORMAT, UNSPECIFIED_FORMAT } from "./service-provider.ts";

const FORMATS = [PERSISTENT_FORMAT, EMAIL_FORMAT, TRANSIENT_FORMAT, UNSPECIFIED_FORMAT];

const text = z.string().nullish();
export const ssoProviderBody = z.object({
  type: text,
  metadata_url: text,
  metadata_xml: text,
  domains: z.array(z.string().min(1).max(253)).max(100).nullish(),
  attribute_mapping: z
    .object({
      keys: z
        .record(
          z.string(),
          z.object({
            name: z.string().optional(),
            names: z.array(z.string()).optional(),
            default: z.unknown().optional(),
            array: z.boolean().optional(),
          }),
        )
        .nullish()
        .transform((keys) => keys ?? {}),
    })
    .nullish(),
  name_id_format: text,
  resource_id: text,
  disabled: z.boolean().nullish(),
});
export type SsoProviderBody = z.output<typeof ssoProviderBody>;

const view = (row: SsoProviderRow, withMetadata = true) => ({
  id: row.id,
  ...(row.resource_id !== null && { resource_id: row.resource_id }),
  disabled: row.disabled,
  saml: {
    entity_id: row.entity_id,
    ...(withMetadata && { metadata_xml: row.metadata_xml }),
    ...(row.metadata_url !== null && { metadata_url: row.metadata_url }),
    attribute_mapping: row.attribute_mapping ?? {},
    ...(row.name_id_format !== null && { name_id_format: row.name_id_format }),
  },
  domains: row.domains.map((domain) => ({ domain })),
  created_at: row.created_at,
  updated_at: row.updated_at,
});

export async function ssoProviders(
  parts: AuthParts,
  by: { resourceId: string | undefined; prefix: string | undefined },
) {
  const rows = await listSsoProviders(parts.database, by);
  return { items: rows.map((row) => view(row, false)) };
}

export async function ssoProvider(parts: AuthParts, id: string) {
  return view(await existing(parts, id));
}

async function existing(parts: AuthParts, id: string): Promise<SsoProviderRow> {
  const row = isUuid(id) ? await findSsoProvider(parts.database, id) : undefined;
  if (!row) throw refuse("sso_provider_not_found", "SSO Identity Provider not found");
  return row;
}

export async function addSsoProvider(parts: AuthParts, body: SsoProviderBody) {
  if (body.type !== "saml") throw refuse("validation_failed", "Only 'saml' supported for SSO provider type");
  if (!body.metadata_url && !body.metadata_xml)
    throw refuse("validation_failed", "Either metadata_xml or metadata_url must be set");
  const metadata = await givenMetadata(parts, body);
  const given: SsoProvider = {
    resourceId: body.resource_id || null,
    disabled: body.disabled ?? null,
    entityId: metadata!.entityId,
    metadataXml: metadata!.xml,
    metadataUrl: body.metadata_url || null,
    attributeMapping: body.attribute_mapping ?? {},
    nameIdFormat: givenFormat(body),
    domains: domainsOf(body.domains ?? []),
  };
  if (await findByEntityId(parts.database, given.entityId)) {
    throw refuse(
      "saml_idp_already_exists",
      `SAML Identity Provider with this EntityID (${given.entityId}) already exists`,
    );
  }
  await refuseTakenDomains(parts, given.domains, undefined);
  const id = await parts.database
    .transaction((tx) => insertSsoProvider(tx, given, new Date(parts.clock.now())))
    .catch(taken);
  return view((await findSsoProvider(parts.database, id))!);
}

/** Members left out stay as they are, except attribute mapping and name format, which GoTrue replaces each time. */
export async function changeSsoProvider(parts: AuthParts, id: string, body: SsoProviderBody) {
  const row = await existing(parts, id);
  const metadata = await givenMetadata(parts, body);
  if (metadata && metadata.entityId !== row.entity_id) {
    throw refuse(
      "saml_entity_id_mismatch",
      `SAML Metadata can be updated only if the EntityID matches for the provider; expected '${row.entity_id}' but got '${metadata.entityId}'`,
    );
  }
  const domains = body.domains ? domainsOf(body.domains) : row.domains;
  await refuseTakenDomains(parts, domains, row.id);
  const given: SsoProvider = {
    resourceId: body.resource_id ?? row.resource_id,
    disabled: body.disabled ?? row.disabled,
    entityId: row.entity_id,
    metadataXml: metadata?.xml ?? row.metadata_xml,
    metadataUrl: body.metadata_url || row.metadata_url,
    attributeMapping: body.attribute_mapping ?? {},
    nameIdFormat: givenFormat(body),
    domains,
  };
  await parts.database
    .transaction((tx) => updateSsoProvider(tx, row.id, given, new Date(parts.clock.now())))
    .catch(taken);
  return view(await existing(parts, id));
}

export async function removeSsoProvider(parts: AuthParts, id: string) {
  const row = await existing(parts, id);
  await deleteSsoProvider(parts.database, row.id);
  return view(row);
}

async function givenMetadata(
  parts: AuthParts,
  body: SsoProviderBody,
): Promise<{ xml: string; entityId: string } | undefined> {
  const { metadata_url: url, metadata_xml: given } = body;
  if (url && given)
    throw refuse("validation_failed", "Only one of metadata_xml or metadata_url needs to be set");
  if (url && !URL.canParse(url)) throw refuse("validation_failed", "metadata_url is not a valid URL");
  if (url && new URL(url).protocol !== "https:")
    throw refuse("validation_failed", "metadata_url is not a HTTPS URL");
  const xml = url ? await fetchIdpMetadata(parts.reachProvided, url) : given;
  return xml ? { xml, entityId: (await parseIdpMetadata(xml)).entityId } : undefined;
}

function givenFormat({ name_id_format: format }: SsoProviderBody): string | null {
  if (!format) return null;
  if (FORMATS.includes(format)) return format;
  throw refuse("validation_failed", `name_id_format must be unspecified or one of ${FORMATS.join(", ")}`);
}

const domainsOf = (given: readonly string[]) => [...new Set(given.map((domain) => domain.toLowerCase()))];

async function refuseTakenDomains(parts: AuthParts, domains: readonly string[], own: string | undefined) {
  for (const domain of domains) {
    const owner = await findByDomain(parts.database, domain);
    if (owner && owner.id !== own) {
      throw refuse(
        "sso_domain_already_exists",
        `SSO Domain '${domain}' is already assigned to an SSO identity provider (${owner.id})`,
      );
    }
  }
}

/** Two administrators made the same change at once. */
function taken(error: unknown): never {
  if ((error as { code?: string }).code !== "23505") throw error;
  throw refuse("conflict", "Updating SSO provider failed, likely due to a conflict. Try again?", {
    status: 422,
    cause: error,
  });
}
