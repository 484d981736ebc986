// Sign-in methods that this server does not offer, refused with GoTrue's wording for a disabled one, so that the client
// library reports them correctly.
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
