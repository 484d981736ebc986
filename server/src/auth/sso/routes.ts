// Single sign-on: /sso and SAML's two addresses, and the identity providers that an administrator adds.
import { requireAdmin } from "../admin/require-admin.ts";
import { refuse } from "../errors.ts";
import { withError } from "../federation/routes.ts";
import { members, readBody } from "../http/requests.ts";
import { refusalOf } from "../http/refusals.ts";
import type { Subject } from "../http/subject.ts";
import { challengeOf } from "../links/flows.ts";
import type { AuthParts } from "../parts.ts";
import { z } from "zod";

const ssoBody = z.object({
  provider_id: members.text,
  domain: members.text,
  redirect_to: members.optionalText,
  skip_http_redirect: members.flag,
  ...members.challenge,
});

const requireSaml = ({ settings }: AuthParts) => {
  if (!settings.SAML_ENABLED) throw refuse("saml_provider_disabled");
};

// The SAML library loads on first use.
const atSso = () => import("./sso-sign-in.ts");
const atServiceProvider = () => import("./service-provider.ts");
const atProviders = () => import("./sso-providers.ts");

export const ssoRoutes: Subject = (app, parts) => {
  app.use("/sso/*", async (_, next) => {
    requireSaml(parts);
    await next();
  });
  app.post("/sso", async (c) => {
    parts.limits.count("token", c.var.caller.ip);
    const body = await readBody(c.req.raw, ssoBody);
    const { beginSso } = await atSso();
    const url = await beginSso(parts, c.var.caller, body, challengeOf(body));
    return body.skip_http_redirect ? c.json({ url }) : c.redirect(url, 303);
  });
  app.get("/sso/saml/metadata", async (c) => {
    const { ownMetadata, serviceProvider } = await atServiceProvider();
    const xml = ownMetadata(
      serviceProvider(parts, c.var.caller),
      parts.settings.SAML_ALLOW_ENCRYPTED_ASSERTIONS,
    );
    c.header("content-type", "application/xml");
    c.header("cache-control", "public, max-age=600");
    if (c.req.query("download") === "true")
      c.header("content-disposition", 'attachment; filename="metadata.xml"');
    return c.body(xml);
  });
  // Always a redirect, because a person is waiting for the answer.
  app.post("/sso/saml/acs", async (c) => {
    try {
      parts.limits.count("token", c.var.caller.ip);
      const { finishSso } = await atSso();
      const posted = new URLSearchParams(await c.req.text());
      return c.redirect(await finishSso(parts, c.var.caller, posted), 302);
    } catch (error) {
      const refusal = refusalOf(parts, error, c.env.requestId);
      return c.redirect(withError(parts.siteUrl, refusal, "query"), 303);
    }
  });

  addAdminRoutes(app, parts);
};

const addAdminRoutes: Subject = (app, parts) => {
  const path = "/admin/sso/providers";
  app.use(`${path}/*`, async (c, next) => {
    requireAdmin(parts, c.var.caller);
    requireSaml(parts);
    await next();
  });
  app.get(path, async (c) => {
    const { ssoProviders } = await atProviders();
    const by = { resourceId: c.req.query("resource_id"), prefix: c.req.query("resource_id_prefix") };
    return c.json(await ssoProviders(parts, by));
  });
  app.post(path, async (c) => {
    const { addSsoProvider, ssoProviderBody } = await atProviders();
    return c.json(await addSsoProvider(parts, await readBody(c.req.raw, ssoProviderBody)), 201);
  });
  app.get(`${path}/:id`, async (c) => {
    const { ssoProvider } = await atProviders();
    return c.json(await ssoProvider(parts, c.req.param("id")));
  });
  app.put(`${path}/:id`, async (c) => {
    const { changeSsoProvider, ssoProviderBody } = await atProviders();
    const body = await readBody(c.req.raw, ssoProviderBody);
    return c.json(await changeSsoProvider(parts, c.req.param("id"), body));
  });
  app.delete(`${path}/:id`, async (c) => {
    const { removeSsoProvider } = await atProviders();
    return c.json(await removeSsoProvider(parts, c.req.param("id")));
  });
};
