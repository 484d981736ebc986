// Ways of signing in that this server does not offer, refused with the words GoTrue has for one that is switched off, so
// that the client library reports them as what they are.
import { refuse } from "../errors.ts";
import type { Subject } from "./subject.ts";

export const notOffered: Subject = (app) => {
  for (const path of [
    "/oauth/*",
    "/user/oauth/*",
    "/admin/oauth/*",
    "/.well-known/oauth-authorization-server",
  ]) {
    app.all(path, () => {
      throw refuse("feature_disabled");
    });
  }
};
