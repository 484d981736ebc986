// The service's entry: identifies the caller, routes to a subject, and renders refusals in GoTrue's format.
import { Hono } from "hono";
import { ServiceError } from "../../platform/errors.ts";
import { renderError, VERSION_HEADER } from "../errors.ts";
import { callerOf, type AuthParts } from "../parts.ts";
import type { Bindings } from "./bindings.ts";
import { requireCaptcha } from "../captcha/captcha.ts";
import { refusalOf } from "./refusals.ts";
import { SUBJECTS } from "./subjects.ts";

const ASKS_FOR_CAPTCHA = ["/signup", "/recover", "/resend", "/magiclink", "/otp", "/token", "/sso"];

export function createRoutes(parts: AuthParts): Hono<Bindings> {
  const app = new Hono<Bindings>();

  app.use(async (c, next) => {
    c.set("caller", callerOf(parts, c.req.raw, c.env));
    await next();
    // Answers hold tokens and addresses. Routes whose answers may be cached set their own header.
    if (!c.res.headers.has("cache-control")) c.header("cache-control", "no-store");
  });
  for (const path of ASKS_FOR_CAPTCHA) app.use(path, requireCaptcha(parts));
  for (const addRoutes of SUBJECTS) addRoutes(app, parts);
  app.notFound((c) =>
    renderError(new ServiceError(404, "not_found", "404 page not found"), c.req.header(VERSION_HEADER)),
  );
  app.onError((error, c) =>
    renderError(refusalOf(parts, error, c.env.requestId), c.req.header(VERSION_HEADER)),
  );
  return app;
}
