// How others verify this service's tokens: published keys, and the official client that uses them.
import { createRemoteJWKSet, customFetch, jwtVerify } from "jose";
import { expect, it, vi } from "vitest";
import { newSigningKey, readSigningKeys } from "../../platform/keys/signing-keys.ts";
import { API, PASSWORD, startAuth, useAuth } from "../../../testing/auth.ts";

const auth = await useAuth({}, { keys: readSigningKeys([newSigningKey("ES256")]) });

it("publishes its keys, cacheable for ten minutes", async () => {
  const { access_token } = await auth.signedUp("verified@example.com");
  const { body, headers } = await auth.call("GET", "/.well-known/openid-configuration");
  expect(headers.get("cache-control")).toBe("public, max-age=600");
  expect(body).toMatchObject({ issuer: `${API}/auth/v1`, jwks_uri: `${API}/auth/v1/.well-known/jwks.json` });
  expect(body).toMatchObject({
    scopes_supported: ["openid", "profile", "email", "phone"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "none"],
    code_challenge_methods_supported: ["S256", "plain"],
    claims_supported: [
      ...["sub", "aud", "iss", "exp", "iat", "auth_time", "nonce", "email", "email_verified", "phone_number"],
      ...["phone_number_verified", "name", "picture", "preferred_username", "updated_at"],
    ],
  });
  const keys = createRemoteJWKSet(new URL(body.jwks_uri), {
    [customFetch]: (address: string, init: RequestInit) => auth.fetch(new Request(address, init)),
  });
  const { payload } = await jwtVerify(access_token, keys, { issuer: body.issuer });
  expect(payload).toMatchObject({ email: "verified@example.com", role: "authenticated" });
});

it("lets the official client verify claims locally, with one request for the keys", async () => {
  await auth.signedUp("claims@example.com");
  const client = auth.client();
  await client.auth.signInWithPassword({ email: "claims@example.com", password: PASSWORD });
  const asked = vi.spyOn(auth.service, "fetch");
  try {
    for (let turn = 0; turn < 3; turn++) {
      const { data, error } = await client.auth.getClaims();
      expect(error).toBeNull();
      expect(data).toMatchObject({ header: { alg: "ES256" }, claims: { email: "claims@example.com" } });
    }
    const paths = asked.mock.calls.map(([request]) => new URL(request.url).pathname);
    expect(paths).toEqual(["/.well-known/jwks.json"]);
  } finally {
    asked.mockRestore();
  }
});

it("publishes none where the secret signs, so the client asks the server", async () => {
  const plain = await startAuth();
  try {
    expect((await plain.call("GET", "/.well-known/jwks.json")).body).toEqual({ keys: [] });
    await plain.signedUp("secret@example.com");
    const client = plain.client();
    await client.auth.signInWithPassword({ email: "secret@example.com", password: PASSWORD });
    expect((await client.auth.getClaims()).data?.claims.email).toBe("secret@example.com");
  } finally {
    await plain.close();
  }
});

it("accepts a token with another signing algorithm, and refuses one that was changed", async () => {
  const { access_token } = await auth.signedUp("changed@example.com");
  const claims = await auth.claimsOf(access_token);
  const bySecret = auth.tokens.signWithSecret(claims);
  expect((await auth.call("GET", "/user", undefined, bySecret)).body.email).toBe("changed@example.com");
  const [header, , signature] = access_token.split(".");
  const other = Buffer.from(JSON.stringify({ ...claims, role: "service_role" })).toString("base64url");
  const { status, body } = await auth.call("GET", "/user", undefined, `${header}.${other}.${signature}`);
  expect([status, body.error_code]).toEqual([403, "bad_jwt"]);
});
