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
