// GET and PUT /user, the signed-in person's own account, and GET /reauthenticate.
import { bodies, readBody } from "../http/requests.ts";
import type { Subject } from "../http/subject.ts";
import { challengeOf } from "../links/flows.ts";
import { changeAccount } from "./account.ts";
import { requireAccount } from "./require-account.ts";
import { reauthenticate } from "./reauthentication.ts";
import { userView } from "./user-view.ts";

export const accountRoutes: Subject = (app, parts) => {
  app.get("/user", async (c) => {
    parts.limits.count("user", c.var.caller.ip);
    return c.json(userView((await requireAccount(parts, c.var.caller)).user));
  });

  app.put("/user", async (c) => {
    parts.limits.count("user", c.var.caller.ip);
    const body = await readBody(c.req.raw, bodies.updateUser);
    // A password costs as much as signing in with it, a new address as much as a mail to each.
    if (body.password !== undefined) parts.limits.count("token", c.var.caller.ip);
    if (body.email !== "" || body.phone !== "") parts.limits.count("mail", c.var.caller.ip);
    return c.json(await changeAccount(parts, c.var.caller, body, challengeOf(body)));
  });

  app.get("/reauthenticate", async (c) => {
    parts.limits.count("mail", c.var.caller.ip);
    await reauthenticate(parts, c.var.caller);
    return c.json({});
  });
};
