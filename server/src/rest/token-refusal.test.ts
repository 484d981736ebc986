// The response to a refused token states which step failed, in PostgREST's words.
import { describe, expect, it } from "vitest";
import { renderError } from "./errors.ts";
import { systemClock } from "../platform/clock.ts";
import { ServiceError } from "../platform/errors.ts";
import { createTokens } from "../platform/keys/jwt.ts";
import { whyRefused } from "../platform/keys/token-refusal.ts";

const tokens = createTokens("a secret of at least thirty-two characters", systemClock);
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const hour = 3600;
const now = Math.floor(Date.now() / 1000);
const claims = { role: "authenticated", exp: now + hour };

const REFUSED: [reason: string, code: string, token: string][] = [
  ["Empty JWT is sent in Authorization header", "PGRST301", ""],
  ["Expected 3 parts in JWT; got 1", "PGRST301", "nonsense"],
  ["Expected 3 parts in JWT; got 4", "PGRST301", "a.b.c.d"],
  ["JWT couldn't be decoded", "PGRST301", "a.b.c"],
  ["Wrong or unsupported encoding algorithm", "PGRST301", `${base64({ alg: "none" })}.${base64(claims)}.`],
  ["No suitable key or wrong key type", "PGRST301", tokens.sign(claims)],
  ["Parsing claims failed", "PGRST303", `${base64({ alg: "HS256" })}.${base64([1])}.x`],
  ["The JWT 'exp' claim must be a number", "PGRST303", tokens.sign({ ...claims, exp: "soon" as never })],
  ["JWT not yet valid", "PGRST303", tokens.sign({ ...claims, nbf: now + hour })],
  ["JWT not in audience", "PGRST303", tokens.sign({ ...claims, aud: "somebody else" })],
  [
    "The JWT 'aud' claim must be a string or an array of strings",
    "PGRST303",
    tokens.sign({ ...claims, aud: [1] }),
  ],
];

describe("a token that is refused", () => {
  it.each(REFUSED)("says: %s", async (reason, code, token) => {
    const cause = whyRefused(token, tokens.audience, Date.now());
    const answer = renderError(new ServiceError(401, "invalid_token", "invalid JWT", { cause }));
    expect([answer.status, await answer.json()]).toMatchObject([401, { code, message: reason, hint: null }]);
    expect(answer.headers.get("www-authenticate")).toBe(
      `Bearer error="invalid_token", error_description=${JSON.stringify(reason)}`,
    );
    expect(answer.headers.get("proxy-status")).toBe(`PostgREST; error=${code}`);
  });

  it("says that it has expired", async () => {
    const answer = renderError(new ServiceError(401, "token_expired", "JWT expired"));
    expect(await answer.json()).toEqual({
      code: "PGRST303",
      message: "JWT expired",
      details: null,
      hint: null,
    });
  });
});
