// POST /otp and /magiclink: signing in, or up, with a code or a link.
import { refuse } from "../errors.ts";
import { bodies, readBody } from "../http/requests.ts";
import type { Subject } from "../http/subject.ts";
import { challengeOf } from "../links/flows.ts";
import { mailCode } from "./by-mail.ts";
import { textCode } from "./by-text.ts";

export const codeRoutes: Subject = (app, parts) => {
  app.post("/otp", async (c) => {
    parts.limits.count("mail", c.var.caller.ip);
    const body = await readBody(c.req.raw, bodies.otp);
    const challenge = challengeOf(body);
    if (body.email !== "" && body.phone !== "") {
      throw refuse("validation_failed", "Only an email address or phone number should be provided");
    }
    if (body.email !== "" && body.channel !== "") {
      throw refuse("validation_failed", "Channel should only be specified with Phone OTP");
    }
    if (body.email !== "") await mailCode(parts, c.var.caller, body, challenge);
    else if (body.phone !== "") await textCode(parts, c.var.caller, body);
    else throw refuse("validation_failed", "One of email or phone must be set");
    return c.json({});
  });

  app.post("/magiclink", async (c) => {
    parts.limits.count("mail", c.var.caller.ip);
    const body = await readBody(c.req.raw, bodies.magicLink);
    const challenge = challengeOf(body);
    if (body.email === "")
      throw refuse("validation_failed", "Password recovery requires an email", { status: 422 });
    await mailCode(parts, c.var.caller, { ...body, create_user: true }, challenge);
    return c.json({});
  });
};
