// Single sign-on at a real SAML identity provider on loopback: through the official client, and with responses that an
// attacker would write.
import { createVerify, X509Certificate } from "node:crypto";
import type { SupabaseClient } from "@supabase/supabase-js";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { API, startAuth, type TestAuth } from "../../../testing/auth.ts";
import { browser, LANDING, landed } from "../../../testing/sign-in/oauth-browser.ts";
import { visit } from "../../../testing/sign-in/oidc-issuer.ts";
import { type Idp, newSamlKey, openIdp } from "../../../testing/sign-in/saml-idp.ts";

const ACS = `${API}/auth/v1/sso/saml/acs`;
const ENTITY = `${API}/auth/v1/sso/saml/metadata`;
const DOMAIN = "company.example";
const MAPPING = {
  keys: {
    full_name: { name: "displayName" },
    department: { names: ["ou", "dept"], default: "none" },
    groups: { name: "groups", array: true },
  },
};
let idp: Idp;
let auth: TestAuth;
let id: string;

beforeAll(async () => {
  idp = await openIdp({ acs: ACS, audience: ENTITY });
  auth = await startAuth(
    {},
    { environment: { GOTRUE_SAML_ENABLED: "true", GOTRUE_SAML_PRIVATE_KEY: newSamlKey() } },
  );
  const made = await admin("POST", "", {
    type: "saml",
    metadata_xml: idp.metadata,
    domains: [DOMAIN],
    attribute_mapping: MAPPING,
  });
  expect(made.status).toBe(201);
  id = made.body.id;
});
afterAll(async () => {
  await auth.close();
  await idp.close();
});

const admin = async (method: string, path: string, body?: unknown) =>
  auth.call(method, `/admin/sso/providers${path}`, body, await auth.serviceKey());

async function begin(client: SupabaseClient, by: object = { domain: DOMAIN }): Promise<URL> {
  const { data, error } = await client.auth.signInWithSSO({
    ...(by as { domain: string }),
    options: { redirectTo: LANDING, skipBrowserRedirect: true },
  });
  if (error) throw error;
  return new URL(data.url);
}

const post = async (form: URLSearchParams) => {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const answer = await auth.call("POST", "/sso/saml/acs", form.toString(), undefined, headers);
  return landed(answer.headers.get("location"));
};
/** Delivers a response, in answer to a request or unsolicited. */
const deliver = (xml: string, relayState = "") =>
  post(new URLSearchParams({ SAMLResponse: Buffer.from(xml).toString("base64"), RelayState: relayState }));

const rows = async (sql: string, values: unknown[] = []) =>
  (await auth.database.asService("the test looks inside").query(sql, values)).rows;

/** A pending request, which an identity provider answers. */
async function underWay() {
  const relayState = (await begin(browser(auth))).searchParams.get("RelayState")!;
  const [row] = await rows("select request_id from auth.saml_relay_states where id = $1", [relayState]);
  return { relayState, inResponseTo: row!.request_id as string };
}

const REFUSED = {
  at: `${API}/`,
  query: {
    error: "invalid_request",
    error_code: "validation_failed",
    error_description: "SAML Assertion is not valid",
  },
};

describe("signing in", () => {
  it("leads to the company's provider and back into a session, with mapped attributes", async () => {
    const attributes = { displayName: "Ada Lovelace", dept: "Engines", groups: ["math", "poetry"] };
    idp.user = { id: "emp-1", email: "Ada@Company.example", attributes };
    const client = browser(auth);
    const there = await visit((await begin(client)).href, ACS);
    expect(there.url.href).toBe(ACS);
    const { at, query } = await post(there.form!);
    expect(at).toBe(LANDING);
    const { data, error } = await client.auth.exchangeCodeForSession(query.code!);
    expect(error).toBeNull();
    expect(data.user).toMatchObject({
      email: "ada@company.example",
      app_metadata: { provider: `sso:${id}`, providers: [`sso:${id}`] },
      user_metadata: {
        iss: idp.entityId,
        sub: "emp-1",
        full_name: "Ada Lovelace",
        email_verified: true,
        custom_claims: { department: "Engines", groups: ["math", "poetry"] },
      },
    });
    expect(await auth.claimsOf(data.session!.access_token)).toMatchObject({
      amr: [{ method: "sso/saml", provider: id }],
    });
    idp.user = { id: "emp-1", email: "ada@company.example" };
    const again = browser(auth);
    const back = await post((await visit((await begin(again, { providerId: id })).href, ACS)).form!);
    const later = await again.auth.exchangeCodeForSession(back.query.code!);
    expect(later.data.user?.id).toBe(data.user!.id);
    const trail = await auth.database
      .asService("the test looks inside")
      .query(
        "select payload ->> 'action' as action from auth.audit_log_entries where payload ->> 'actor_id' = $1 order by created_at",
        [data.user!.id],
      );
    expect(trail.rows.map(({ action }) => action)).toEqual(["user_signedup", "login", "login", "login"]);
  });

  it("keeps a company's account apart from one with the same address and a password", async () => {
    const { user } = await auth.signedUp(`both@${DOMAIN}`);
    idp.user = { id: "emp-2", email: `both@${DOMAIN}` };
    const client = browser(auth);
    const { query } = await post((await visit((await begin(client)).href, ACS)).form!);
    const { data } = await client.auth.exchangeCodeForSession(query.code!);
    expect(data.user?.id).not.toBe(user.id);
    expect(await rows("select is_sso_user from auth.users where id = $1", [data.user!.id])).toEqual([
      { is_sso_user: true },
    ]);
  });

  it("puts the session into the fragment for the implicit flow", async () => {
    idp.user = { id: "emp-3", email: `implicit@${DOMAIN}` };
    const { fragment } = await post((await visit((await begin(browser(auth, "implicit"))).href, ACS)).form!);
    expect(Object.keys(fragment)).toEqual([
      ...["access_token", "expires_at", "expires_in", "refresh_token", "token_type"],
    ]);
  });

  it("accepts a response that the provider initiated, once, and redirects only to allowed addresses", async () => {
    idp.user = { id: "emp-4", email: `portal@${DOMAIN}` };
    const xml = await idp.respond();
    expect((await deliver(xml, "https://evil.example/")).at).toBe(`${API}/`);
    expect(await deliver(xml)).toMatchObject(REFUSED);
    const next = await deliver(await idp.respond(), "https://shop.festival.example/in");
    expect([next.at, next.fragment.token_type]).toEqual(["https://shop.festival.example/in", "bearer"]);
  });

  it("signs its requests with the key in its metadata", async () => {
    const metadata = (await auth.call("GET", "/sso/saml/metadata?download=true")).headers;
    expect(metadata.get("content-disposition")).toBe('attachment; filename="metadata.xml"');
    const { body, headers } = await auth.call("GET", "/sso/saml/metadata");
    expect([headers.get("content-type"), headers.get("cache-control")]).toEqual([
      "application/xml",
      "public, max-age=600",
    ]);
    expect(body).toContain(`entityID="${ENTITY}"`);
    expect(body).toContain(`Location="${ACS}"`);
    const shown = /<ds:X509Certificate>([^<]+)</.exec(body)![1]!;
    const certificate = new X509Certificate(Buffer.from(shown.replaceAll("&#xD;", ""), "base64"));
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    const sent = (await begin(browser(auth))).search.slice(1);
    const [signed, signature] = sent.split("&Signature=");
    const verifier = createVerify("RSA-SHA256").update(signed!);
    expect(verifier.verify(certificate.publicKey, decodeURIComponent(signature!), "base64")).toBe(true);
  });
});

describe("a response is refused", () => {
  const good = async (options: object = {}) => {
    const { relayState, inResponseTo } = await underWay();
    return { relayState, xml: await idp.respond({ inResponseTo, ...options }) };
  };
  beforeEach(() => {
    idp.user = { id: "emp-9", email: `attacked@${DOMAIN}` };
  });

  it("but not a valid one, which the others are compared with", async () => {
    const { relayState, xml } = await good();
    expect((await deliver(xml, relayState)).query.code).toBeDefined();
    const whole = await good({ signAssertion: false, signResponse: true });
    expect((await deliver(whole.xml, whole.relayState)).query.code).toBeDefined();
  });

  it.each([
    ["without a signature", { signAssertion: false }],
    ["with a signature by way of SHA-1", { signatureAlgorithm: "rsa-sha1" }],
    ["with a digest by way of SHA-1", { digestAlgorithm: "sha1" }],
    ["for another audience", { audience: "https://elsewhere.example" }],
    ["for another recipient", { recipient: "https://elsewhere.example/acs" }],
    ["for another destination", { destination: "https://elsewhere.example/acs" }],
    ["in answer to another request", { inResponseTo: "id-of-another" }],
    ["in answer to none", { inResponseTo: undefined }],
    ["from another issuer", { issuer: "https://evil.example" }],
    ["once it has expired, beyond what clocks may differ", { lifetimeInSeconds: -200 }],
    ["with a failure for its status", { samlStatusCode: "urn:oasis:names:tc:SAML:2.0:status:Responder" }],
  ])("%s", async (_, options) => {
    const { relayState, xml } = await good(options);
    expect(await deliver(xml, relayState)).toMatchObject(REFUSED);
  });

  it("before it is valid, beyond the allowed clock skew", async () => {
    const ofAClock = async (secondsAhead: number) => {
      const { relayState, inResponseTo } = await underWay();
      const clock = vi.spyOn(Date, "now").mockReturnValue(Date.now() + secondsAhead * 1000);
      const xml = await idp.respond({ inResponseTo }).finally(() => clock.mockRestore());
      expect(Date.parse(/NotBefore="([^"]+)"/.exec(xml)![1]!)).toBeGreaterThan(Date.now());
      return deliver(xml, relayState);
    };
    expect((await ofAClock(120)).query.code).toBeDefined();
    expect(await ofAClock(240)).toMatchObject(REFUSED);
  });

  it("with a signature by another key", async () => {
    const other = await openIdp({ acs: ACS, audience: ENTITY });
    other.user = idp.user;
    const { relayState, inResponseTo } = await underWay();
    const xml = await other.respond({ inResponseTo, issuer: idp.entityId });
    await other.close();
    expect(await deliver(xml, relayState)).toMatchObject(REFUSED);
  });

  it("when it was changed after signing", async () => {
    const { relayState, xml } = await good();
    expect(await deliver(xml.replaceAll("attacked@", "admin@"), relayState)).toMatchObject(REFUSED);
  });

  const forged = (assertion: string) =>
    assertion
      .replace(/<(\w+:)?Signature[\s\S]*<\/(\w+:)?Signature>/, "")
      .replace(/ID="[^"]+"/, 'ID="_forged"')
      .replaceAll("attacked@", "admin@")
      .replaceAll("emp-9", "emp-1");
  const assertionIn = (xml: string) => /<saml:Assertion[\s\S]*<\/saml:Assertion>/.exec(xml)![0];

  it.each<[string, (xml: string) => string]>([
    [
      "before the signed one",
      (xml) => xml.replace("<saml:Assertion", `${forged(assertionIn(xml))}<saml:Assertion`),
    ],
    [
      "after the signed one",
      (xml) => xml.replace("</saml:Assertion>", `</saml:Assertion>${forged(assertionIn(xml))}`),
    ],
    [
      "around the signed one",
      (xml) => {
        const signed = assertionIn(xml);
        const wrapper = forged(signed).replace(
          "</saml:Assertion>",
          `<Extensions>${signed}</Extensions></saml:Assertion>`,
        );
        return xml.replace(signed, wrapper);
      },
    ],
    [
      "with the signed one inside its signature",
      (xml) => {
        const signed = assertionIn(xml);
        const signature = /<(\w+:)?Signature[\s\S]*<\/(\w+:)?Signature>/.exec(signed)![0];
        const kept = signed.replace(signature, "");
        const inside = signature.replace(/<\/(\w+:)?Signature>$/, (end) => `<Object>${kept}</Object>${end}`);
        return xml.replace(signed, forged(signed).replace("</saml:Issuer>", `</saml:Issuer>${inside}`));
      },
    ],
    [
      "in a response of its own around the real one",
      (xml) => {
        const around = xml
          .replace(assertionIn(xml), forged(assertionIn(xml)))
          .replace(/ID="[^"]+"/, 'ID="_outer"');
        return around.replace("</samlp:Response>", `${xml.replace(/^<\?xml[^>]*>/, "")}</samlp:Response>`);
      },
    ],
  ])("with a forged assertion %s (signature wrapping)", async (_, wrap) => {
    const { relayState, xml } = await good();
    const wrapped = wrap(xml);
    expect(wrapped).toContain("admin@");
    expect(await deliver(wrapped, relayState)).toMatchObject(REFUSED);
    expect(await rows("select from auth.users where email = $1", [`admin@${DOMAIN}`])).toEqual([]);
  });

  it("with a comment that cuts an address in two", async () => {
    idp.user = { id: "emp-10", email: `admin@${DOMAIN}.evil.example` };
    const { relayState, xml } = await good();
    const cut = xml.replace(`admin@${DOMAIN}.evil`, `admin@${DOMAIN}<!-- -->.evil`);
    const { query } = await deliver(cut, relayState);
    expect(query.error_description ?? query.code).toBeDefined();
    expect(await rows("select from auth.users where email = $1", [`admin@${DOMAIN}`])).toEqual([]);
  });

  it("with a document type", async () => {
    const { relayState, xml } = await good();
    const typed = `<!DOCTYPE r [<!ENTITY x "y">]>${xml}`;
    expect(await deliver(typed, relayState)).toMatchObject(REFUSED);
  });

  it("when it is replayed, or comes too late", async () => {
    const { relayState, xml } = await good();
    await deliver(xml, relayState);
    expect((await deliver(xml, relayState)).query.error_code).toBe("saml_relay_state_not_found");
    const other = await underWay();
    expect(await deliver(xml, other.relayState)).toMatchObject(REFUSED);
    const made = await deliver(xml, "no-uuid");
    expect(made.query.error_description).toBe("SAML RelayState is not a valid UUID or URL");
  });

  it("without a permanent name, or without an address", async () => {
    idp.user = { id: "emp-11" };
    const { relayState, xml } = await good();
    expect((await deliver(xml, relayState)).query.error_code).toBe("saml_assertion_no_email");
  });

  it("from an unknown provider, or a disabled one", async () => {
    const other = await openIdp({ acs: ACS, audience: ENTITY });
    other.user = idp.user;
    expect((await deliver(await other.respond())).query.error_code).toBe("saml_idp_not_found");
    await other.close();
    const { relayState, xml } = await good();
    await admin("PUT", `/${id}`, { disabled: true, attribute_mapping: MAPPING });
    expect((await deliver(xml, relayState)).query.error_code).toBe("sso_provider_disabled");
    const { body } = await auth.call("POST", "/sso", { domain: DOMAIN });
    expect(body.error_code).toBe("sso_provider_disabled");
    await admin("PUT", `/${id}`, { disabled: false, attribute_mapping: MAPPING });
  });
});

describe("requesting single sign-on", () => {
  it.each([
    [{}, 400, "validation_failed", "A provider_id or domain needs to be provided"],
    [
      { domain: "unknown.example" },
      404,
      "sso_provider_not_found",
      "No SSO provider assigned for this domain",
    ],
    [
      { provider_id: "1b671a64-40d5-491e-99b0-da01ff1f3341" },
      ...([404, "sso_provider_not_found", "No such SSO provider"] as const),
    ],
    [
      { provider_id: "1b671a64-40d5-491e-99b0-da01ff1f3341", domain: DOMAIN },
      ...([400, "validation_failed", "Only one of provider_id or domain supported"] as const),
    ],
  ])("answers %j as GoTrue does", async (body, code, error_code, msg) => {
    expect((await auth.call("POST", "/sso", body)).body).toEqual({ code, error_code, msg });
  });

  it("redirects a client that does not want JSON", async () => {
    const answer = await auth.call("POST", "/sso", { domain: DOMAIN.toUpperCase() });
    expect([answer.status, answer.headers.get("location")]).toEqual([
      303,
      expect.stringContaining("SAMLRequest="),
    ]);
  });

  it("can be switched off as a whole", async () => {
    auth.set({ GOTRUE_SAML_ENABLED: "false" });
    const off = { code: 404, error_code: "saml_provider_disabled", msg: "SAML 2.0 is disabled" };
    expect((await auth.call("POST", "/sso", { domain: DOMAIN })).body).toEqual(off);
    expect((await auth.call("GET", "/sso/saml/metadata")).body).toEqual(off);
    expect((await admin("GET", "")).body).toEqual(off);
  });
});

describe("identity providers, as an administrator manages them", () => {
  it("are added, listed, read, changed and removed", async () => {
    const other = await openIdp({ acs: ACS, audience: ENTITY });
    await other.close();
    const made = await admin("POST", "", {
      type: "saml",
      metadata_xml: other.metadata,
      domains: ["a.example", "B.example"],
      resource_id: "customer-1",
    });
    expect(made).toMatchObject({
      status: 201,
      body: {
        resource_id: "customer-1",
        disabled: null,
        saml: { entity_id: other.entityId, metadata_xml: other.metadata, attribute_mapping: {} },
        domains: [{ domain: "a.example" }, { domain: "b.example" }],
      },
    });
    const listed = (await admin("GET", "?resource_id=customer-1")).body.items;
    expect(listed).toHaveLength(1);
    expect(listed[0].saml).not.toHaveProperty("metadata_xml");
    const path = `/${made.body.id}`;
    expect((await admin("GET", path)).body).toEqual(made.body);
    const changed = await admin("PUT", path, { domains: ["b.example", "c.example"] });
    expect(changed.body.domains).toEqual([{ domain: "b.example" }, { domain: "c.example" }]);
    expect((await admin("PUT", path, { metadata_xml: idp.metadata })).body.error_code).toBe(
      "saml_entity_id_mismatch",
    );
    expect((await admin("DELETE", path)).status).toBe(200);
    expect((await admin("GET", path)).body).toMatchObject({
      code: 404,
      error_code: "sso_provider_not_found",
    });
  });

  it.each([
    [{ type: "oidc" }, "Only 'saml' supported for SSO provider type"],
    [{ type: "saml" }, "Either metadata_xml or metadata_url must be set"],
    [{ type: "saml", metadata_xml: "<a/>" }, "SAML Metadata does not contain an EntityID"],
    [{ type: "saml", metadata_xml: "no xml" }, "SAML Metadata is not valid XML"],
    [{ type: "saml", metadata_url: "http://idp.example/" }, "metadata_url is not a HTTPS URL"],
    [{ type: "saml", metadata_url: "not an address" }, "metadata_url is not a valid URL"],
    [
      { type: "saml", metadata_url: "https://127.0.0.1:1/" },
      "SAML Metadata cannot be fetched from 'https://127.0.0.1:1/': https://127.0.0.1:1 is not a public https address",
    ],
  ])("are refused as %j", async (body, msg) => {
    expect((await admin("POST", "", body)).body).toMatchObject({ code: 400, msg });
  });

  it("have their own entities and domains", async () => {
    const again = await admin("POST", "", { type: "saml", metadata_xml: idp.metadata });
    expect(again.body).toMatchObject({ code: 422, error_code: "saml_idp_already_exists" });
    const other = await openIdp({ acs: ACS, audience: ENTITY });
    await other.close();
    const taken = await admin("POST", "", { type: "saml", metadata_xml: other.metadata, domains: [DOMAIN] });
    expect(taken.body).toMatchObject({ code: 400, error_code: "sso_domain_already_exists" });
  });

  it("require the service key", async () => {
    expect((await auth.call("GET", "/admin/sso/providers")).status).toBe(401);
  });
});

// Last, because it moves the clock.
it("ends the session when the assertion says, also if a code leads to it", async () => {
  idp.user = { id: "emp-5", email: `short@${DOMAIN}` };
  const client = browser(auth);
  const { query } = await post((await visit((await begin(client)).href, ACS)).form!);
  // samlp writes no SessionNotOnOrAfter.
  const end =
    "update auth.flow_state set session_not_after = $1 where user_id = (select id from auth.users where email = $2)";
  await rows(end, [new Date(Date.now() + 600_000), idp.user.email]);
  const { data } = await client.auth.exchangeCodeForSession(query.code!);
  const refresh = async () =>
    (
      await auth.call("POST", "/token?grant_type=refresh_token", {
        refresh_token: data.session!.refresh_token,
      })
    ).body;
  auth.advance(11 * 60);
  expect((await refresh()).error_code).toBe("session_expired");
});
