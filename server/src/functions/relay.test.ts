// What the relay decides before a function runs: which functions exist, who may call them, and what it answers
// when nobody may.
import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openProject, type Project } from "../../testing/functions.ts";

const CONFIG = `
[functions.open]
verify_jwt = false
[functions.off]
enabled = false
[functions.outside]
verify_jwt = false
import_map = "../../elsewhere.json"
[functions.handled-open]
verify_jwt = false
`;
const INDEX = `Deno.serve((request) => new Response(request.headers.get("authorization") ?? "nobody"));`;
/** In process, like this repository's own. */
const HANDLER = `export const handler = async (request) => new Response("handled " + new URL(request.url).pathname);`;

let project: Project;
beforeAll(async () => {
  project = await openProject({
    "config.toml": CONFIG,
    "functions/verified/index.ts": INDEX,
    "functions/open/index.ts": INDEX,
    "functions/off/index.ts": INDEX,
    "functions/outside/index.ts": INDEX,
    "functions/_shared/index.ts": INDEX,
    "functions/1st/index.ts": INDEX,
    "functions/empty/README.md": "",
    "functions/handled/handler.ts": HANDLER,
    "functions/handled-open/handler.ts": HANDLER,
    "secret/index.ts": INDEX,
  });
});
afterAll(() => project.close());

const post = (path: string, headers: Record<string, string> = {}) =>
  project.ask(path, { method: "POST", headers });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function said(answer: Response): Promise<unknown[]> {
  const { code, message } = (await answer.json()) as { code: string; message: string };
  expect([answer.headers.get("x-relay-error"), answer.headers.get("sb-error-code")]).toEqual(["true", code]);
  expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  return [answer.status, code, message];
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const forged = (alg: string) => `${encode({ alg, typ: "JWT" })}.${encode({ role: "anon" })}.AAAA`;

describe("the existing functions", () => {
  it.each([
    ...["nothing-of-the-kind", "_shared", "1st", "empty", "off", "", "%2e%2e%2fsecret", "open%2findex.ts"],
    ...["constructor", "__proto__", "open.", "open%00", "OPEN%20"],
  ])("do not include %j", async (name) => {
    const answer = await post(name, bearer(project.keys.anon));
    if (name === "open%00") expect(answer.status).toBe(400);
    else expect(await said(answer)).toEqual([404, "NOT_FOUND", "Requested function was not found"]);
  });

  it("are never outside of the folder", async () => {
    const answer = await post("..%2f..%2fsecret", bearer(project.keys.anon));
    expect(answer.status).toBe(404);
  });

  it("report invalid settings only in the log", async () => {
    const answer = await post("outside");
    expect((await said(answer))[0]).toBe(500);
    expect(project.lines.some(({ message }) => message === "function could not be reached")).toBe(true);
  });
});

describe("the callers of a function that verifies tokens", () => {
  const refusals = [
    ["nobody", {}, "UNAUTHORIZED_NO_AUTH_HEADER", "Missing authorization header"],
    ["a wrong key", { apikey: "x" }, "UNAUTHORIZED_NO_AUTH_HEADER", "Missing authorization header"],
    [
      "another scheme",
      { authorization: "Basic eDp5" },
      "UNAUTHORIZED_INVALID_JWT_FORMAT",
      "Auth header is not 'Bearer {token}'",
    ],
    ["no token at all", bearer("nonsense"), "UNAUTHORIZED_INVALID_JWT_FORMAT", "Invalid JWT"],
    ["a forged HS256", bearer(forged("HS256")), "UNAUTHORIZED_LEGACY_JWT", "Invalid JWT"],
    ["a forged ES256", bearer(forged("ES256")), "UNAUTHORIZED_ASYMMETRIC_JWT", "Invalid JWT"],
    [
      "PS256",
      bearer(forged("PS256")),
      "UNAUTHORIZED_UNSUPPORTED_TOKEN_ALGORITHM",
      "Unsupported JWT algorithm PS256",
    ],
    [
      "none",
      bearer(forged("none")),
      "UNAUTHORIZED_UNSUPPORTED_TOKEN_ALGORITHM",
      "Unsupported JWT algorithm none",
    ],
  ] as const;

  it.each(refusals)("exclude %s", async (_who, headers, code, message) => {
    for (const name of ["verified", "handled"]) {
      expect(await said(await post(name, headers))).toEqual([401, code, message]);
    }
  });

  it("exclude an expired token", async () => {
    const old = project.tokens.sign({ role: "authenticated", exp: 1 });
    expect((await said(await post("verified", bearer(old))))[1]).toBe("UNAUTHORIZED_LEGACY_JWT");
  });

  it("include any valid token: with a role, with none, and with one that the database does not know", async () => {
    for (const claims of [{ role: "authenticated" }, { role: "" }, { role: "supervisor" }]) {
      const answer = await post("verified", bearer(project.tokens.sign(claims)));
      expect(answer.status).toBe(200);
    }
    const text = `${encode({ alg: "HS256", typ: "JWT" })}.${encode({ sub: "someone" })}`;
    const key = "a secret of at least thirty-two characters";
    const bare = `${text}.${createHmac("sha256", key).update(text).digest("base64url")}`;
    const answer = await post("verified", bearer(bare));
    expect(await answer.text()).toBe(`Bearer ${bare}`);
  });

  it("include the key, in place of a token; with a token it is not needed", async () => {
    expect((await post("verified", { apikey: project.keys.anon })).status).toBe(200);
    expect((await post("verified", { apikey: "x", ...bearer(project.keys.anon) })).status).toBe(200);
  });

  it("include a preflight, which has no token", async () => {
    expect((await project.ask("verified", { method: "OPTIONS", headers: {} })).status).toBe(200);
    const handled = await project.ask("handled", { method: "OPTIONS", headers: {} });
    expect([handled.status, handled.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
  });
});

describe("a function that verifies no token", () => {
  it("receives every request", async () => {
    expect(await (await post("open")).text()).toBe("nobody");
    const { privateKey } = generateKeyPairSync("ed25519");
    const own = sign(null, Buffer.from("of another issuer"), privateKey).toString("base64url");
    expect(await (await post("open", bearer(own))).text()).toBe(`Bearer ${own}`);
  });

  it("in process is not called with an invalid token", async () => {
    const answer = await post("handled-open", bearer("nonsense"));
    expect([answer.status, await answer.json()]).toEqual([
      401,
      { error: { code: "unauthorized", message: "invalid JWT" } },
    ]);
  });
});
