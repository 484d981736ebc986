// Features a festival does not need answer as the real service does when they are switched off.
import { expect, it } from "vitest";
import { useAuth } from "../../../testing/auth.ts";

const auth = await useAuth();

it.each([
  ["POST", "/token?grant_type=web3", 422, "web3_provider_disabled", "Web3 provider is disabled"],
  ["POST", "/token?grant_type=magic", 400, "invalid_credentials", "unsupported_grant_type"],
  ["GET", "/oauth/authorize", 404, "feature_disabled", "OAuth server is disabled"],
  ["POST", "/oauth/token", 404, "feature_disabled", "OAuth server is disabled"],
  ["POST", "/oauth/clients/register", 404, "feature_disabled", "OAuth server is disabled"],
  ["GET", "/user/oauth/grants", 404, "feature_disabled", "OAuth server is disabled"],
])("%s %s", async (method, path, status, code, message) => {
  const body = method === "POST" ? {} : undefined;
  const older = await auth.call(method, path, body);
  expect([older.status, older.body]).toEqual([status, { code: status, error_code: code, msg: message }]);
  const newer = await auth.call(method, path, body, undefined, { "x-supabase-api-version": "2024-01-01" });
  expect([newer.status, newer.body]).toEqual([status, { code, message }]);
  expect(newer.headers.get("x-supabase-api-version")).toBe("2024-01-01");
});

it("names the refusal in a header too, and ignores an invalid version", async () => {
  const { headers, body } = await auth.call("POST", "/token?grant_type=web3", {}, undefined, {
    "x-supabase-api-version": "tomorrow",
  });
  expect(headers.get("x-sb-error-code")).toBe("web3_provider_disabled");
  expect(body.error_code).toBe("web3_provider_disabled");
});

it("does not offer disabled second steps to the pages", async () => {
  const offered = async () => (await auth.call("GET", "/settings")).body.site.second_steps;
  expect(await offered()).toEqual(["totp", "recovery_code"]);
  auth.set({
    GOTRUE_MFA_TOTP_VERIFY_ENABLED: "false",
    GOTRUE_MFA_PHONE_ENROLL_ENABLED: "true",
    GOTRUE_MFA_PHONE_VERIFY_ENABLED: "true",
    GOTRUE_MFA_WEB_AUTHN_ENROLL_ENABLED: "true",
    GOTRUE_MFA_WEB_AUTHN_VERIFY_ENABLED: "true",
    GOTRUE_MFA_RECOVERY_CODES_ENROLL_ENABLED: "false",
  });
  expect(await offered()).toEqual(["phone", "webauthn"]);
});
