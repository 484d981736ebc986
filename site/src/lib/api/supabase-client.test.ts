import { expect, it, vi } from "vitest";
import { authAtRest, createSupabase } from "./supabase-client.ts";

it("is at rest once every request to the auth service has its response, including requests that follow from a response", async () => {
  const answers: (() => void)[] = [];
  vi.stubGlobal(
    "fetch",
    () => new Promise<Response>((done) => answers.push(() => done(Response.json({ external: {} })))),
  );
  const { auth } = createSupabase({ url: "http://festival.test", anonKey: "key" }, "session");
  const asked = auth
    .resetPasswordForEmail("first@example.com")
    .then(() => auth.resetPasswordForEmail("second@example.com"));
  const isAsked = (count: number) => expect.poll(() => answers).toHaveLength(count);
  await isAsked(1);
  let rests = false;
  const rest = authAtRest().then(() => (rests = true));
  answers[0]!();
  await isAsked(2);
  expect(rests).toBe(false);
  answers[1]!();
  await asked;
  await rest;
  vi.unstubAllGlobals();
});

it("renews no session that a clock a day ahead takes for ended", async () => {
  const asked: string[] = [];
  const now = Math.round(Date.now() / 1000) - 86_400;
  const session = {
    access_token: "header.payload.signature",
    refresh_token: "refresh",
    token_type: "bearer",
    expires_in: 3600,
    expires_at: now + 3600,
    user: { id: "user" },
  };
  vi.stubGlobal("fetch", async (address: string) => {
    asked.push(address);
    return Response.json(session);
  });
  const { auth } = createSupabase({ url: "http://festival.test", anonKey: "key" }, "ahead");
  await auth.signInWithPassword({ email: "a@example.com", password: "password" });
  for (let calls = 0; calls < 3; calls++) await auth.getSession();
  expect(asked).toHaveLength(1);
  await auth.stopAutoRefresh();
  vi.unstubAllGlobals();
});
