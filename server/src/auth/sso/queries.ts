// The SQL of SAML identity providers, of requests to them, and of assertions that have been used.
import { randomUUID } from "node:crypto";
import type { Executor } from "../../postgres/executor.ts";
import type { AttributeMapping } from "./assertion.ts";

export interface SsoProviderRow {
  readonly id: string;
  readonly resource_id: string | null;
  readonly disabled: boolean | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly entity_id: string;
  readonly metadata_xml: string;
  readonly metadata_url: string | null;
  readonly attribute_mapping: AttributeMapping | null;
  readonly name_id_format: string | null;
  /** When the metadata was fetched. */
  readonly metadata_at: Date;
  readonly domains: readonly string[];
}

const PROVIDER = `select p.id, p.resource_id, p.disabled, p.created_at, p.updated_at, s.entity_id, s.metadata_xml,
    s.metadata_url, s.attribute_mapping, s.name_id_format, s.updated_at as metadata_at,
    coalesce((select jsonb_agg(d.domain order by d.created_at, d.domain) from auth.sso_domains d
      where d.sso_provider_id = p.id), '[]') as domains
  from auth.sso_providers p join auth.saml_providers s on s.sso_provider_id = p.id`;

const one = async (tx: Executor, where: string, value: string): Promise<SsoProviderRow | undefined> =>
  (await tx.query<SsoProviderRow>(`${PROVIDER} where ${where}`, [value])).rows[0];

export const findSsoProvider = (tx: Executor, id: string) => one(tx, "p.id = $1", id);
export const findByEntityId = (tx: Executor, entityId: string) => one(tx, "s.entity_id = $1", entityId);
export const findByDomain = (tx: Executor, domain: string) =>
  one(tx, "p.id = (select sso_provider_id from auth.sso_domains where lower(domain) = lower($1))", domain);

/** The providers with this resource id, or with this prefix of it; all when neither is given. */
export async function listSsoProviders(
  tx: Executor,
  by: { resourceId: string | undefined; prefix: string | undefined },
): Promise<SsoProviderRow[]> {
  const { rows } = await tx.query<SsoProviderRow>(
    `${PROVIDER} where ($1::text is null or p.resource_id = $1)
       and ($2::text is null or starts_with(p.resource_id, $2)) order by p.created_at, p.id`,
    [by.resourceId ?? null, by.resourceId === undefined ? (by.prefix ?? null) : null],
  );
  return rows;
}

/** Everything an administrator sets. */
export interface SsoProvider {
  readonly resourceId: string | null;
  readonly disabled: boolean | null;
  readonly entityId: string;
  readonly metadataXml: string;
  readonly metadataUrl: string | null;
  readonly attributeMapping: AttributeMapping;
  readonly nameIdFormat: string | null;
  readonly domains: readonly string[];
}

/** Rejects with SQLSTATE 23505 when the entity, a domain or the resource id is taken. */
export async function insertSsoProvider(tx: Executor, given: SsoProvider, now: Date): Promise<string> {
  const id = randomUUID();
  await tx.query(
    "insert into auth.sso_providers (id, resource_id, disabled, created_at, updated_at) values ($1, $2, $3, $4, $4)",
    [id, given.resourceId, given.disabled, now],
  );
  await tx.query(
    `insert into auth.saml_providers (id, sso_provider_id, entity_id, metadata_xml, metadata_url, attribute_mapping,
       name_id_format, created_at, updated_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $8)`,
    [
      randomUUID(),
      id,
      given.entityId,
      given.metadataXml,
      given.metadataUrl,
      JSON.stringify(given.attributeMapping),
      given.nameIdFormat,
      now,
    ],
  );
  await addDomains(tx, id, given.domains, now);
  return id;
}

export async function updateSsoProvider(
  tx: Executor,
  id: string,
  given: SsoProvider,
  now: Date,
): Promise<void> {
  await tx.query(
    "update auth.sso_providers set resource_id = $2, disabled = $3, updated_at = $4 where id = $1",
    [id, given.resourceId, given.disabled, now],
  );
  await tx.query(
    `update auth.saml_providers set metadata_xml = $2, metadata_url = $3, attribute_mapping = $4, name_id_format = $5,
       updated_at = $6 where sso_provider_id = $1`,
    [
      id,
      given.metadataXml,
      given.metadataUrl,
      JSON.stringify(given.attributeMapping),
      given.nameIdFormat,
      now,
    ],
  );
  await tx.query("delete from auth.sso_domains where sso_provider_id = $1 and domain <> all ($2)", [
    id,
    given.domains,
  ]);
  await addDomains(tx, id, given.domains, now);
}

async function addDomains(tx: Executor, id: string, domains: readonly string[], now: Date): Promise<void> {
  await tx.query(
    `insert into auth.sso_domains (id, sso_provider_id, domain, created_at, updated_at)
     select gen_random_uuid(), $1, d, $3, $3 from unnest($2::text[]) as d
     where not exists (select from auth.sso_domains where sso_provider_id = $1 and domain = d)`,
    [id, domains, now],
  );
}

export async function deleteSsoProvider(tx: Executor, id: string): Promise<void> {
  await tx.query("delete from auth.sso_providers where id = $1", [id]);
}

export async function renewMetadata(tx: Executor, id: string, xml: string, now: Date): Promise<void> {
  await tx.query(
    "update auth.saml_providers set metadata_xml = $2, updated_at = $3 where sso_provider_id = $1",
    [id, xml, now],
  );
}

export async function insertRelayState(
  tx: Executor,
  relay: {
    id: string;
    providerId: string;
    requestId: string;
    redirectTo: string;
    flowId: string | undefined;
  },
  now: Date,
): Promise<void> {
  await tx.query(
    `insert into auth.saml_relay_states
       (id, sso_provider_id, request_id, redirect_to, flow_state_id, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $6)`,
    [relay.id, relay.providerId, relay.requestId, relay.redirectTo, relay.flowId ?? null, now],
  );
}

export interface RelayState {
  readonly sso_provider_id: string;
  readonly request_id: string;
  readonly redirect_to: string;
  readonly flow_state_id: string | null;
  readonly created_at: Date;
}

/** Works once: the second answer to a request finds nothing. */
export async function takeRelayState(tx: Executor, id: string): Promise<RelayState | undefined> {
  const { rows } = await tx.query<RelayState>(
    `delete from auth.saml_relay_states where id = $1
     returning sso_provider_id, request_id, redirect_to, flow_state_id, created_at`,
    [id],
  );
  return rows[0];
}

/** False when the assertion has already been used. */
export async function useAssertion(
  tx: Executor,
  key: string,
  usableUntil: Date,
  now: Date,
): Promise<boolean> {
  await tx.query("delete from auth.saml_used_assertions where usable_until < $1", [now]);
  const { rowCount } = await tx.query(
    "insert into auth.saml_used_assertions (assertion, usable_until) values ($1, $2) on conflict do nothing",
    [key, usableUntil],
  );
  return rowCount === 1;
}
