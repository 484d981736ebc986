import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PASSWORD, startAuth, type TestAuth } from "../../../testing/auth.ts";

let auth: TestAuth;
let user: string;
let key: string;
beforeAll(async () => {
  auth = await startAuth();
  user = (await auth.signedUp("victim@example.com")).access_token;
  key = await auth.serviceKey();
});
afterAll(() => auth.close());

const DOORS = [
  ["POST", "/signup"],
  ["POST", "/token?grant_type=password"],
  ["POST", "/token?grant_type=refresh_token"],
  ["POST", "/verify"],
  ["POST", "/recover"],
  ["POST", "/resend"],
  ["PUT", "/user"],
  ["POST", "/admin/users"],
] as const;

const MEMBERS = ["email", "password", "refresh_token", "token", "token_hash", "type", "data", "app_metadata"];
const VALUES: unknown[] = [
  ["a@example.com"],
  { $ne: null },
  7,
  true,
  "nul\0byte",
  "\ud800",
  "' or 1=1 --",
  "x".repeat(100_000),
  { deep: "nul\0byte" },
  { "\0": 1 },
  { big: "x".repeat(10_000) },
  { __proto__: null, constructor: { prototype: 1 } },
];

describe.each(DOORS)("%s %s", (method, path) => {
  const token = () => (path.startsWith("/admin") ? key : path === "/user" ? user : undefined);

  it.each(["", "{", "[]", '"text"', "7", "[".repeat(200_000), '{"data":'.repeat(50_000)])(
    "refuses the body %.20s",
    async (body) => {
      const answer = await auth.call(method, path, body, token());
      expect([answer.status, answer.body.error_code]).toEqual([400, "bad_json"]);
    },
  );

  it("refuses odd values instead of failing", async () => {
    for (const member of MEMBERS) {
      for (const value of VALUES) {
        const body = { email: "odd@example.com", password: PASSWORD, [member]: value };
        const { status } = await auth.call(method, path, body, token());
        expect.soft(status, `${member} = ${JSON.stringify(value).slice(0, 40)}`).toBeLessThan(500);
      }
    }
  });
});

it("refuses arrays and NUL where text is expected", async () => {
  for (const email of [["a@example.com"], "a\0@example.com"]) {
    const { status } = await auth.call("POST", "/signup", { email, password: PASSWORD });
    expect(status).toBe(400);
  }
  const data = { note: "nul\0byte" };
  expect((await auth.call("PUT", "/user", { data }, user)).body.error_code).toBe("validation_failed");
});

it("keeps metadata small enough for the token that carries it", async () => {
  const { status, body } = await auth.call("PUT", "/user", { data: { big: "x".repeat(5000) } }, user);
  expect([status, body.error_code]).toEqual([400, "validation_failed"]);
});

it.each([
  ["POST", "/otp", 400],
  ["POST", "/sso", 404],
  ["GET", "/authorize?provider=google", 400],
  ["GET", "/nothing", 404],
  ["DELETE", "/user", 404],
])("refuses %s %s as not offered", async (method, path, status) => {
  const answer = await auth.call(method, path, method === "POST" ? {} : undefined);
  expect(answer.status).toBe(status);
  expect(answer.body.error_code).toBeDefined();
});
