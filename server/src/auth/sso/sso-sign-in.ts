// Single sign-on with SAML: the request to an identity provider, and the response that its assertion consumer service
// receives.
import { createHash, randomUUID } from "node:crypto";
import type { Executor } from "../../postgres/executor.ts";
import { refuse } from "../errors.ts";
import { externalAccount, externalOf } from "../federation/external-account.ts";
import { type ProvidedUser } from "../federation/provided-user.ts";
import { insertState } from "../federation/queries.ts";
import { comeOut } from "../federation/sign-in.ts";
import { allowedRedirect } from "../http/redirects.ts";
import { isUuid, providedEmail } from "../http/requests.ts";
import type { Challenge } from "../links/flows.ts";
import type { AuthParts, AuthCaller } from "../parts.ts";
import { type Assertion, emailOf, mappedClaims, readAssertion, userIdOf } from "./assertion.ts";
import { fetchIdpMetadata, type IdpMetadata, parseIdpMetadata } from "./idp-metadata.ts";
import {
  findByDomain,
  findByEntityId,
  findSsoProvider,
  insertRelayState,
  type RelayState,
  renewMetadata,
  type SsoProviderRow,
  takeRelayState,
  useAssertion,
} from "./queries.ts";
import { PERSISTENT_FORMAT, samlWith, serviceProvider } from "./service-provider.ts";
import { attribute, child, type Element, parseXml, textOf } from "./xml.ts";

export interface SsoRequest {
  readonly provider_id: string;
  readonly domain: string;
  readonly redirect_to?: string | undefined;
}

/** The identity provider's address with a signed request. */
export async function beginSso(
  parts: AuthParts,
  caller: AuthCaller,
  asked: SsoRequest,
  challenge: Challenge | undefined,
): Promise<string> {
  const provider = await chosenProvider(parts, asked);
  const idp = await parseIdpMetadata(provider.metadata_xml);
  const requestId = `id-${randomUUID()}`;
  const request = { requestId, nameIdFormat: provider.name_id_format ?? PERSISTENT_FORMAT };
  const saml = samlWith(parts, serviceProvider(parts, caller), idp, request);
  const redirectTo =
    asked.redirect_to === undefined
      ? caller.redirectTo
      : allowedRedirect(asked.redirect_to, parts.siteUrl, parts.settings.URI_ALLOW_LIST);
  const id = randomUUID();
  const flowId = challenge && randomUUID();
  const now = new Date(parts.clock.now());
  await parts.database.transaction(async (tx) => {
    if (challenge && flowId) {
      await insertState(
        tx,
        {
          id: flowId,
          provider: "sso/saml",
          method: "sso/saml",
          challenge,
          referrer: redirectTo,
          inviteToken: undefined,
          linking: undefined,
          emailOptional: false,
          verifier: undefined,
        },
        now,
      );
    }
    await insertRelayState(tx, { id, providerId: provider.id, requestId, redirectTo, flowId }, now);
  });
  return saml.getAuthorizeUrlAsync(id, undefined, {});
}

async function chosenProvider(
  parts: AuthParts,
  { provider_id, domain }: SsoRequest,
): Promise<SsoProviderRow> {
  if (provider_id !== "" && domain !== "")
    throw refuse("validation_failed", "Only one of provider_id or domain supported");
  if (provider_id === "" && domain === "")
    throw refuse("validation_failed", "A provider_id or domain needs to be provided");
  if (provider_id !== "" && !isUuid(provider_id))
    throw refuse("bad_json", "Could not parse request body as JSON: provider_id is not a UUID");
  const provider =
    provider_id === ""
      ? await findByDomain(parts.database, domain)
      : await findSsoProvider(parts.database, provider_id);
  if (!provider)
    throw refuse(
      "sso_provider_not_found",
      provider_id === "" ? "No SSO provider assigned for this domain" : "No such SSO provider",
    );
  if (provider.disabled) throw disabled();
  return provider;
}

const disabled = () =>
  refuse("sso_provider_disabled", "SSO Provider assigned for this domain is currently disabled", {
    status: 404,
  });

/** Where the browser that delivered the response goes next. */
export async function finishSso(
  parts: AuthParts,
  caller: AuthCaller,
  posted: URLSearchParams,
): Promise<string> {
  const response = posted.get("SAMLResponse") ?? "";
  const relay = await openRelay(parts, posted.get("RelayState") ?? "");
  if (response === "") throw refuse("validation_failed", "SAMLResponse is missing");
  const provider = relay.state
    ? await findSsoProvider(parts.database, relay.state.sso_provider_id)
    : await findByEntityId(parts.database, await issuerOf(response));
  if (!provider) throw refuse("saml_idp_not_found");
  if (provider.disabled) throw disabled();

  const idp = await currentMetadata(parts, provider);
  const own = serviceProvider(parts, caller);
  const assertion = await readAssertion(samlWith(parts, own, idp), response, {
    own,
    entityId: provider.entity_id,
    requestId: relay.state?.request_id,
    now: parts.clock.now(),
  }).catch((error: unknown) => {
    parts.log.warn({ err: error, ssoProvider: provider.id }, "a SAML response was refused");
    throw refuse("validation_failed", "SAML Assertion is not valid", { cause: error });
  });
  return parts.database.transaction(async (tx) => {
    await useOnce(parts, tx, provider, assertion);
    const external = externalOf(`sso:${provider.id}`, providedBy(provider, assertion), false);
    const account = await externalAccount(parts, tx, caller, external);
    const state = {
      id: relay.state?.flow_state_id ?? "",
      is_pkce: relay.state?.flow_state_id !== null && relay.state !== undefined,
      referrer: relay.redirectTo,
    };
    return comeOut(parts, tx, caller, state, account, {
      method: "sso/saml",
      notAfter: assertion.sessionUntil,
    });
  });
}

interface Relay {
  /** Undefined when the identity provider initiated the sign-in. */
  readonly state: RelayState | undefined;
  readonly redirectTo: string;
}

async function openRelay(parts: AuthParts, given: string): Promise<Relay> {
  if (!isUuid(given)) {
    if (given !== "" && !URL.canParse(given))
      throw refuse("validation_failed", "SAML RelayState is not a valid UUID or URL");
    return {
      state: undefined,
      redirectTo: allowedRedirect(given, parts.siteUrl, parts.settings.URI_ALLOW_LIST),
    };
  }
  const state = await takeRelayState(parts.database, given);
  if (!state) throw refuse("saml_relay_state_not_found");
  const until = state.created_at.getTime() + parts.settings.SAML_RELAY_STATE_VALIDITY_PERIOD * 1000;
  if (until <= parts.clock.now()) throw refuse("saml_relay_state_expired");
  return { state, redirectTo: state.redirect_to };
}

/** Decides which keys to try: nothing in the response is trusted until they fit. */
async function issuerOf(response: string): Promise<string> {
  const envelope = await parseXml(Buffer.from(response, "base64").toString("utf8")).catch(
    (error: unknown) => {
      throw refuse("validation_failed", "SAMLResponse is not a valid XML SAML assertion", { cause: error });
    },
  );
  const message = envelope.Response as Element | undefined;
  if (!message || attribute(message, "ID") === undefined)
    throw refuse("validation_failed", "SAMLResponse is not a valid XML SAML assertion");
  return textOf(child(message, "Issuer"));
}

const A_DAY_MS = 86_400_000;

/** Metadata with an address is fetched again each day; while that fails, the last copy counts. */
async function currentMetadata(parts: AuthParts, provider: SsoProviderRow): Promise<IdpMetadata> {
  const kept = await parseIdpMetadata(provider.metadata_xml);
  const now = parts.clock.now();
  const isStale =
    now - provider.metadata_at.getTime() > A_DAY_MS || (kept.validUntil && kept.validUntil.getTime() < now);
  if (provider.metadata_url === null || !isStale) return kept;
  try {
    const xml = await fetchIdpMetadata(parts.reachProvided, provider.metadata_url);
    const fresh = await parseIdpMetadata(xml);
    if (fresh.entityId !== provider.entity_id) throw new Error("the metadata is another provider's");
    await renewMetadata(parts.database, provider.id, xml, new Date(now));
    return fresh;
  } catch (error) {
    parts.log.warn({ err: error, ssoProvider: provider.id }, "SAML metadata could not be renewed");
    return kept;
  }
}

async function useOnce(
  parts: AuthParts,
  tx: Executor,
  provider: SsoProviderRow,
  assertion: Assertion,
): Promise<void> {
  const key = createHash("sha256").update(`${provider.id} ${assertion.id}`).digest("base64url");
  if (!(await useAssertion(tx, key, assertion.usableUntil, new Date(parts.clock.now()))))
    throw refuse("validation_failed", "SAML Assertion is not valid");
}

/** The claims in GoTrue's table; everything else in the mapping goes into custom_claims. */
const CLAIMS: ReadonlySet<string> = new Set([
  ...[
    "name",
    "family_name",
    "given_name",
    "middle_name",
    "nickname",
    "preferred_username",
    "profile",
    "picture",
  ],
  ...[
    "website",
    "gender",
    "birthdate",
    "zoneinfo",
    "locale",
    "updated_at",
    "phone",
    "full_name",
    "avatar_url",
  ],
  ...["slug", "provider_id", "user_name"],
]);

function providedBy(provider: SsoProviderRow, assertion: Assertion): ProvidedUser {
  const sub = userIdOf(assertion);
  if (!sub) {
    throw refuse(
      "saml_assertion_no_user_id",
      "SAML Assertion did not contain a persistent Subject Identifier attribute or Subject NameID uniquely identifying this user",
    );
  }
  const claims = mappedClaims(assertion, provider.attribute_mapping ?? {});
  const named = typeof claims.email === "string" ? claims.email : emailOf(assertion);
  if (!named) throw refuse("saml_assertion_no_email");
  const email = providedEmail(named.trim());
  const entries = Object.entries(claims).filter(([key]) => key !== "email");
  const standard = entries.filter(([key, value]) => CLAIMS.has(key) && typeof value === "string");
  const custom = entries.filter(([key, value]) => !(CLAIMS.has(key) && typeof value === "string"));
  return {
    emails: [{ email, verified: true, primary: true }],
    claims: {
      ...Object.fromEntries(standard),
      iss: provider.entity_id,
      sub,
      custom_claims: Object.fromEntries(custom),
    },
  };
}
