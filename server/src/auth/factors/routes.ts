// Second factors: set up, challenged, verified and removed by their owner; listed and removed by an administrator.
import { z } from "zod";
import { requireAdmin } from "../admin/require-admin.ts";
import { factorView } from "../account/user-view.ts";
import { members, readBody, readOptionalBody } from "../http/requests.ts";
import type { Subject } from "../http/subject.ts";
import { challengeFactor } from "./challenges.ts";
import { enrollFactor } from "./enrollment.ts";
import {
  deleteRecoveryCodes,
  generateRecoveryCodes,
  recoveryCodesStatus,
  regenerateRecoveryCodes,
  verifyRecoveryCode,
} from "./recovery-codes.ts";
import { editFactorOfUser, factorsOfUser, removeFactor, removeFactorOfUser } from "./removal.ts";
import { verifyFactor } from "./verification.ts";

const { text } = members;
const enrollment = z.object({ friendly_name: text, factor_type: text, issuer: text, phone: text });
const challenge = z.object({ channel: text });
const answer = z.object({
  challenge_id: text,
  code: text,
  webauthn: z
    .object({ type: text, credential_response: z.record(z.string(), z.unknown()).nullish() })
    .nullish()
    .transform((value) => value ?? undefined),
});
const named = z.object({ friendly_name: text });
const coded = z.object({ code: text });
const edited = z.object({ friendly_name: text, phone: text });

export const factorRoutes: Subject = (app, parts) => {
  app.use("/factors/*", async (c, next) => {
    parts.limits.count("factor", c.var.caller.ip);
    await next();
  });
  app.post("/factors", async (c) =>
    c.json(await enrollFactor(parts, c.var.caller, await readBody(c.req.raw, enrollment))),
  );

  app.get("/factors/recovery-codes", async (c) => c.json(await recoveryCodesStatus(parts, c.var.caller)));
  app.post("/factors/recovery-codes", async (c) =>
    c.json(await generateRecoveryCodes(parts, c.var.caller, await readOptionalBody(c.req.raw, named))),
  );
  app.post("/factors/recovery-codes/verify", async (c) =>
    c.json(await verifyRecoveryCode(parts, c.var.caller, await readBody(c.req.raw, coded))),
  );
  app.post("/factors/recovery-codes/regenerate", async (c) =>
    c.json(await regenerateRecoveryCodes(parts, c.var.caller)),
  );
  app.delete("/factors/recovery-codes", async (c) => c.json(await deleteRecoveryCodes(parts, c.var.caller)));

  app.post("/factors/:id/challenge", async (c) =>
    c.json(
      await challengeFactor(
        parts,
        c.var.caller,
        c.req.param("id"),
        await readOptionalBody(c.req.raw, challenge),
      ),
    ),
  );
  app.post("/factors/:id/verify", async (c) =>
    c.json(await verifyFactor(parts, c.var.caller, c.req.param("id"), await readBody(c.req.raw, answer))),
  );
  app.delete("/factors/:id", async (c) => c.json(await removeFactor(parts, c.var.caller, c.req.param("id"))));
};

export const factorAdminRoutes: Subject = (app, parts) => {
  app.get("/admin/users/:user/factors", async (c) => {
    requireAdmin(parts, c.var.caller);
    return c.json((await factorsOfUser(parts, c.req.param("user"))).map(factorView));
  });
  app.put("/admin/users/:user/factors/:id", async (c) => {
    requireAdmin(parts, c.var.caller);
    const { user, id } = c.req.param();
    return c.json(
      factorView(await editFactorOfUser(parts, c.var.caller, user, id, await readBody(c.req.raw, edited))),
    );
  });
  app.delete("/admin/users/:user/factors/:id", async (c) => {
    requireAdmin(parts, c.var.caller);
    const { user, id } = c.req.param();
    return c.json(factorView(await removeFactorOfUser(parts, c.var.caller, user, id)));
  });
};
