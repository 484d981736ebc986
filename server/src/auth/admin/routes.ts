// The endpoints below /admin, and POST /invite, for the service key only.
import { Hono } from "hono";
import { requireUser } from "../account/require-account.ts";
import { userView } from "../account/user-view.ts";
import { refuse } from "../errors.ts";
import type { Bindings } from "../http/bindings.ts";
import { bodies, readBody, readOptionalBody } from "../http/requests.ts";
import type { Subject } from "../http/subject.ts";
import type { AuthParts } from "../parts.ts";
import { requireAdmin } from "./require-admin.ts";
import { removeUser } from "./deletion.ts";
import { invite } from "./invite.ts";
import { generateLink } from "./links.ts";
import { pageHeaders, pageOf, sortDirection } from "./pages.ts";
import { listAuditEntries, listUsers } from "./queries.ts";
import { addUser, editUser } from "./users.ts";

export const adminRoutes: Subject = (app, parts) => {
  app.post("/invite", async (c) => {
    requireAdmin(parts, c.var.caller);
    return c.json(await invite(parts, c.var.caller, await readBody(c.req.raw, bodies.invite)));
  });
  const admin = new Hono<Bindings>();
  admin.use(async (c, next) => {
    requireAdmin(parts, c.var.caller);
    await next();
  });
  addUserRoutes(admin, parts);
  admin.post("/generate_link", async (c) =>
    c.json(await generateLink(parts, c.var.caller, await readBody(c.req.raw, bodies.generateLink))),
  );
  addAuditRoute(admin, parts);
  app.route("/admin", admin);
};

function addUserRoutes(app: Hono<Bindings>, parts: AuthParts): void {
  app.get("/users", async (c) => {
    const page = pageOf(c);
    const { users, total } = await listUsers(parts.database, {
      ...{ limit: page.perPage, offset: (page.page - 1) * page.perPage },
      ...{ filter: c.req.query("filter") ?? "", direction: sortDirection(c) },
    });
    pageHeaders(c, page, total);
    return c.json({ users: users.map(userView), aud: parts.settings.JWT_AUD });
  });
  app.post("/users", async (c) =>
    c.json(await addUser(parts, c.var.caller, await readBody(c.req.raw, bodies.adminUser))),
  );
  app.get("/users/:id", async (c) => c.json(userView(await requireUser(parts, c.req.param("id")))));
  app.put("/users/:id", async (c) => {
    const user = await requireUser(parts, c.req.param("id"));
    return c.json(await editUser(parts, c.var.caller, user, await readBody(c.req.raw, bodies.adminUser)));
  });
  app.delete("/users/:id", async (c) => {
    const user = await requireUser(parts, c.req.param("id"));
    const { should_soft_delete: isSoft } = await readOptionalBody(c.req.raw, bodies.deleteUser);
    await removeUser(parts, c.var.caller, user, isSoft);
    return c.json({});
  });
}

/** The payload members that `query=scope:text` searches. */
const SCOPES: Readonly<Record<string, readonly string[]>> = {
  author: ["actor_username", "actor_name"],
  action: ["action"],
  type: ["log_type"],
};

function addAuditRoute(app: Hono<Bindings>, parts: AuthParts): void {
  app.get("/audit", async (c) => {
    const page = pageOf(c);
    const query = c.req.query("query") ?? "";
    const [, scope = "", value = ""] = /^([^:]*):(.*)$/s.exec(query) ?? [];
    const members = query === "" ? [] : Object.hasOwn(SCOPES, scope) ? SCOPES[scope] : undefined;
    if (!members) throw refuse("validation_failed", `Invalid query scope: ${query}`);
    const bounds = { limit: page.perPage, offset: (page.page - 1) * page.perPage };
    const { entries, total } = await listAuditEntries(parts.database, { ...bounds, members, value });
    pageHeaders(c, page, total);
    return c.json(entries);
  });
}
