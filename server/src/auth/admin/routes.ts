// The endpoints below /admin, for the service key only.
import { Hono } from "hono";
import type { Bindings } from "../http/bindings.ts";
import { bodies, readBody } from "../http/requests.ts";
import type { Subject } from "../http/subject.ts";
import type { AuthParts } from "../parts.ts";
import { generateLink } from "./links.ts";
import { addUser, editUser, readUser, removeUser, requireAdmin, userPage } from "./users.ts";

export const adminRoutes: Subject = (app, parts) => {
  app.route("/admin", routesOf(parts));
};

function routesOf(parts: AuthParts): Hono<Bindings> {
  const app = new Hono<Bindings>();

  app.use(async (c, next) => {
    requireAdmin(c.var.caller);
    await next();
  });

  app.get("/users", async (c) => {
    const query = { page: c.req.query("page"), perPage: c.req.query("per_page") };
    const { users, total, page, pages } = await userPage(parts, query);
    const per = query.perPage ? `&per_page=${query.perPage}` : "";
    const link = (to: number, rel: string) =>
      `<${c.env.apiUrl}/auth/v1/admin/users?page=${to}${per}>; rel="${rel}"`;
    c.header("x-total-count", String(total));
    c.header("link", [...(page < pages ? [link(page + 1, "next")] : []), link(pages, "last")].join(", "));
    return c.json({ users, aud: "authenticated" });
  });

  app.post("/users", async (c) =>
    c.json(await addUser(parts, c.var.caller, await readBody(c.req.raw, bodies.adminUser))),
  );
  app.get("/users/:id", async (c) => c.json(await readUser(parts, c.req.param("id"))));
  app.put("/users/:id", async (c) =>
    c.json(
      await editUser(parts, c.var.caller, c.req.param("id"), await readBody(c.req.raw, bodies.adminUser)),
    ),
  );
  app.delete("/users/:id", async (c) => {
    await removeUser(parts, c.var.caller, c.req.param("id"));
    return c.json({});
  });
  app.post("/generate_link", async (c) =>
    c.json(await generateLink(parts, c.var.caller, await readBody(c.req.raw, bodies.generateLink))),
  );
  return app;
}
