// Ways of signing in that this server does not offer, refused with the words GoTrue has for one that is switched off, so
// that the client library reports them as what they are.
import { refuse } from "../errors.ts";
import type { Subject } from "./subject.ts";

export const notOffered: Subject = (app) => {
  app.post("/otp", () => {
    throw refuse("otp_disabled");
  });
  app.post("/magiclink", () => {
    throw refuse("otp_disabled");
  });
  app.get("/authorize", () => {
    throw refuse("validation_failed", "Unsupported provider: provider is not enabled");
  });
  app.post("/sso", () => {
    throw refuse("saml_provider_disabled");
  });
  app.get("/user/identities/authorize", () => {
    throw refuse("manual_linking_disabled");
  });
};
