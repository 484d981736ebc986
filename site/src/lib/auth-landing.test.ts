import { expect, it } from "vitest";
import { readAuthLanding } from "./auth-landing.ts";

it("sees a session that a mail's link brought, and why", () => {
  const hash = "#access_token=a.b.c&expires_in=3600&refresh_token=r&token_type=bearer&type=recovery";
  expect(readAuthLanding(hash)).toEqual({ kind: "signed-in", reason: "recovery" });
  expect(readAuthLanding("#access_token=a.b.c&type=novelty")).toEqual({ kind: "signed-in", reason: "other" });
});

it("sees why a link failed, in the server's words", () => {
  const hash =
    "#error=access_denied&error_code=otp_expired&error_description=Email+link+is+invalid+or+has+expired";
  expect(readAuthLanding(hash)).toEqual({
    kind: "failed",
    code: "otp_expired",
    message: "Email link is invalid or has expired",
  });
});

it("sees nothing on an ordinary visit", () => {
  for (const hash of ["", "#parking", "#type=signup"]) expect(readAuthLanding(hash)).toBeUndefined();
});
