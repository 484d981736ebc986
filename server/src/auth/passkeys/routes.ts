// Passkeys: added, listed, renamed and removed by their owner, used to sign in, listed and removed by an administrator.
import { z } from "zod";
import { requireAdmin } from "../admin/require-admin.ts";
import { refuse } from "../errors.ts";
import { members, readBody } from "../http/requests.ts";
import type { Subject } from "../http/subject.ts";
import { passkeyAuthenticationOptions, signInWithPasskey } from "./authentication.ts";
import {
  editPasskey,
  listPasskeys,
  passkeysOfUser,
  removePasskey,
  removePasskeyOfUser,
} from "./management.ts";
import { passkeyRegistrationOptions, registerPasskey } from "./registration.ts";

const { text } = members;
const answer = z.object({
  challenge_id: text,
  credential: z
    .record(z.string(), z.unknown())
    .nullish()
    .transform((value) => value ?? undefined),
});
const named = z.object({ friendly_name: text });

export const passkeyRoutes: Subject = (app, parts) => {
  const requireEnabled = () => {
    if (!parts.settings.PASSKEY_ENABLED) throw refuse("passkey_disabled");
  };
  app.use("/passkeys/*", async (c, next) => {
    requireEnabled();
    const signsIn = c.req.path.startsWith("/passkeys/authentication/");
    parts.limits.count(signsIn ? "token" : "user", c.var.caller.ip);
    await next();
  });
  app.post("/passkeys/registration/options", async (c) =>
    c.json(await passkeyRegistrationOptions(parts, c.var.caller)),
  );
  app.post("/passkeys/registration/verify", async (c) =>
    c.json(await registerPasskey(parts, c.var.caller, await readBody(c.req.raw, answer))),
  );
  app.post("/passkeys/authentication/options", async (c) =>
    c.json(await passkeyAuthenticationOptions(parts)),
  );
  app.post("/passkeys/authentication/verify", async (c) =>
    c.json(await signInWithPasskey(parts, c.var.caller, await readBody(c.req.raw, answer))),
  );
  app.get("/passkeys", async (c) => c.json(await listPasskeys(parts, c.var.caller)));
  app.patch("/passkeys/:id", async (c) =>
    c.json(await editPasskey(parts, c.var.caller, c.req.param("id"), await readBody(c.req.raw, named))),
  );
  app.delete("/passkeys/:id", async (c) => {
    await removePasskey(parts, c.var.caller, c.req.param("id"));
    return c.body(null, 204);
  });

  app.get("/admin/users/:user/passkeys", async (c) => {
    requireAdmin(parts, c.var.caller);
    requireEnabled();
    return c.json(await passkeysOfUser(parts, c.req.param("user")));
  });
  app.delete("/admin/users/:user/passkeys/:id", async (c) => {
    requireAdmin(parts, c.var.caller);
    requireEnabled();
    const { user, id } = c.req.param();
    await removePasskeyOfUser(parts, c.var.caller, user, id);
    return c.body(null, 204);
  });
};
