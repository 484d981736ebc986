import { expect, it } from "vitest";
import { openAccess } from "./access-keys.ts";
import { parseServerConfig } from "./platform/config.ts";
import { createTokens } from "./platform/keys/jwt.ts";
import { newSigningKey } from "./platform/keys/signing-keys.ts";
import type { Secrets } from "./platform/keys/secrets.ts";

const SECRET = "the secret of an existing project, long enough";
const clock = { now: () => Date.now() };
const theirs = createTokens(SECRET, clock);
const secrets = { signingKeys: [{ jwk: newSigningKey("ES256") }] } as unknown as Secrets;
const open = (variables: Record<string, string>) =>
  openAccess(parseServerConfig({ JWT_SECRET: SECRET, ...variables }), secrets, SECRET);

it("keeps the keys of an existing project", async () => {
  const ANON_KEY = theirs.sign({ iss: "supabase", ref: "abc", role: "anon", exp: 4_000_000_000 });
  const SERVICE_ROLE_KEY = theirs.sign({ iss: "supabase", role: "service_role" });
  const { keys, tokens } = await open({ ANON_KEY, SERVICE_ROLE_KEY });
  expect(keys).toEqual({ anon: ANON_KEY, service: SERVICE_ROLE_KEY });
  expect(await tokens.verify(ANON_KEY)).toMatchObject({ role: "anon", ref: "abc" });
});

it("accepts the platform's newer keys, which are not tokens", async () => {
  const { keys, tokens } = await open({
    ANON_KEY: "sb_publishable_0123456789",
    SERVICE_ROLE_KEY: "sb_secret_0123456789",
  });
  expect(await tokens.verify(keys.anon)).toEqual({ role: "anon" });
  expect(await tokens.verify(keys.service)).toEqual({ role: "service_role" });
});

it.each([
  [
    "a key for the other role",
    theirs.sign({ role: "service_role" }),
    "is a key for service_role, not for anon",
  ],
  ["a key of another secret", createTokens(`${SECRET}.`, clock).sign({ role: "anon" }), "is invalid"],
  ["a key that has ended", theirs.sign({ role: "anon", exp: 1 }), "is expired"],
])("refuses %s", async (_what, ANON_KEY, problem) => {
  await expect(open({ ANON_KEY })).rejects.toThrow(`ANON_KEY: ${problem}`);
});

it("accepts users' tokens for the configured audience and no other", async () => {
  const user = (aud: string) => theirs.signWithSecret({ role: "authenticated", aud });
  const verdicts = async (variables: Record<string, string>) => {
    const { tokens } = await open(variables);
    return Promise.all(
      ["authenticated", "festival"].map(async (aud) => typeof (await tokens.verify(user(aud)))),
    );
  };
  expect(await verdicts({})).toEqual(["object", "string"]);
  expect(await verdicts({ GOTRUE_JWT_AUD: "festival" })).toEqual(["string", "object"]);
});

it("signs with its own key unless the secret or keys are given", async () => {
  const algorithms = async (variables: Record<string, string>) => {
    const { tokens } = await openAccess(parseServerConfig(variables), secrets, SECRET);
    const [header] = tokens.sign({ role: "anon" }).split(".");
    return JSON.parse(Buffer.from(header!, "base64url").toString()).alg as string;
  };
  expect(await algorithms({})).toBe("ES256");
  expect(await algorithms({ JWT_SECRET: SECRET })).toBe("HS256");
  const GOTRUE_JWT_KEYS = JSON.stringify([newSigningKey("RS256")]);
  expect(await algorithms({ JWT_SECRET: SECRET, GOTRUE_JWT_KEYS })).toBe("RS256");
  await expect(algorithms({ GOTRUE_JWT_KEYS: "{}" })).rejects.toThrow("GOTRUE_JWT_KEYS");
});
