// POST /signup.
import type { Subject } from "../http/subject.ts";
import { bodies, readBody } from "../http/requests.ts";
import { challengeOf } from "../links/flows.ts";
import { signUpAnonymously } from "./anonymous.ts";
import { signUp } from "./sign-up.ts";

export const signUpRoutes: Subject = (app, parts) => {
  app.post("/signup", async (c) => {
    parts.limits.count("mail", c.var.caller.ip);
    const body = await readBody(c.req.raw, bodies.signUp);
    if (body.email === "" && body.phone === "") {
      return c.json(await signUpAnonymously(parts, c.var.caller, body.data));
    }
    return c.json(await signUp(parts, c.var.caller, body, challengeOf(body)));
  });
};
