import { expect, it } from "vitest";
import { readAuthLanding, withoutLanding } from "./auth-landing.ts";

const at = (path: string) => new URL(path, "https://festival.example");
const read = (path: string, asked = true) => readAuthLanding(at(path), () => asked);

it("detects the code from a mail's link, and why the mail was requested", () => {
  expect(read("/?code=abc")).toEqual({ kind: "signed-in", reason: "signup" });
  expect(read("/?way=code&code=abc")).toEqual({ kind: "signed-in", reason: "code" });
  expect(read("/auth?mode=reset&code=abc")).toEqual({ kind: "signed-in", reason: "recovery" });
});

it("detects that another browser requested the link", () => {
  expect(read("/?code=abc", false)).toEqual({ kind: "elsewhere", reason: "signup" });
  const flows: (string | null)[] = [];
  readAuthLanding(at("/?code=abc&sb_flow_id=f1"), (flow) => flows.push(flow) > 1);
  expect(flows).toEqual(["f1"]);
});

it("reads who received the mail from a link of another browser, and only what may be an address", () => {
  const elsewhere = { kind: "elsewhere", reason: "recovery" };
  const link = "/auth?mode=reset&code=abc#mailed-to=a%2Bb%40example.com";
  expect(read(link, false)).toEqual({ ...elsewhere, email: "a+b@example.com" });
  expect(read(link)).toEqual({ kind: "signed-in", reason: "recovery" });
  expect(withoutLanding(at(link))).toBe("/auth?mode=reset");
  const written = `/auth?mode=reset&code=abc#mailed-to=${encodeURIComponent("Call 1-800 @ now")}`;
  expect(read(written, false)).toEqual(elsewhere);
});

it("detects that a provider returned a code, or why it did not", () => {
  expect(read("/checkout?via=provider&code=abc")).toEqual({ kind: "signed-in", reason: "provider" });
  expect(read("/checkout?via=provider&code=abc", false)).toMatchObject({
    kind: "failed",
    reason: "provider",
  });
  expect(read("/?via=provider&error=access_denied&error_description=No")).toEqual({
    kind: "failed",
    code: "access_denied",
    reason: "provider",
  });
  expect(withoutLanding(at("/checkout?via=provider&code=abc"))).toBe("/checkout");
});

it("accepts no session from the address, whoever wrote it there", () => {
  const hash = "#access_token=a.b.c&expires_in=3600&refresh_token=r&token_type=bearer&type=recovery";
  expect(read(`/${hash}`)).toMatchObject({ kind: "failed", code: "not_asked_for" });
});

it("detects why a link failed, in the fragment or the query, and shows no text from the address", () => {
  const outcome =
    "error=access_denied&error_code=otp_expired&error_description=Email+link+is+invalid+or+has+expired";
  const failed = { kind: "failed", code: "otp_expired" };
  expect(read(`/#${outcome}`)).toEqual(failed);
  expect(read(`/?${outcome}`)).toEqual(failed);
  expect(read(`/auth?mode=reset#${outcome}`)).toEqual({ ...failed, reason: "recovery" });
  expect(read(`/?way=code#${outcome}`)).toEqual({ ...failed, reason: "code" });
  expect(read(`/dashboard?way=email#${outcome}`)).toEqual({ ...failed, reason: "email" });
});

it("recognizes the two halves of a change of address", () => {
  const half = "/dashboard?way=email#message=Confirmation+link+accepted.";
  expect(read(half)).toEqual({ kind: "half", reason: "email", half: undefined });
  expect(read(`${half}&half=current`)).toMatchObject({ half: "current" });
  expect(read(`${half}&half=Call+this+number`)).toMatchObject({ half: undefined });
  expect(read("/#message=Call+this+number")).toBeUndefined();
  expect(read("/dashboard?way=email&code=abc")).toMatchObject({ reason: "email" });
});

it("detects nothing on an ordinary visit", () => {
  for (const path of ["/", "/#parking", "/#type=signup", "/auth?mode=reset"]) {
    expect(read(path)).toBeUndefined();
  }
});

it("keeps the page's own address", () => {
  expect(withoutLanding(at("/auth?mode=reset&code=abc&sb_flow_id=f#x"))).toBe("/auth?mode=reset");
  expect(withoutLanding(at("/?error=a&error_code=b"))).toBe("/");
});
