// Ways of signing in that this server does not offer, refused with the words GoTrue has for one that is switched off, so
// that the client library reports them as what they are.
import { Hono } from "hono";
import { ServiceError } from "../../platform/errors.ts";
import { refuse } from "../errors.ts";
import type { Bindings } from "./bindings.ts";

export function notOffered(): Hono<Bindings> {
  const app = new Hono<Bindings>();
  app.post("/otp", () => {
    throw new ServiceError(422, "otp_disabled", "Signups not allowed for otp");
  });
  app.post("/magiclink", () => {
    throw new ServiceError(422, "otp_disabled", "Signups not allowed for otp");
  });
  app.get("/authorize", () => {
    throw refuse("validation_failed", "Unsupported provider: provider is not enabled");
  });
  app.post("/sso", () => {
    throw new ServiceError(404, "saml_provider_disabled", "SAML 2.0 is disabled");
  });
  app.get("/user/identities/authorize", () => {
    throw new ServiceError(404, "manual_linking_disabled", "Manual linking is disabled");
  });
  app.post("/factors", () => {
    throw new ServiceError(422, "mfa_totp_enroll_not_enabled", "MFA enroll is disabled for TOTP");
  });
  return app;
}
