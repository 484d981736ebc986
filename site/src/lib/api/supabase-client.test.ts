import { afterEach, expect, it, vi } from "vitest";
import { isOutOfTime } from "./causes.ts";
import { authAtRest, createSupabase } from "./supabase-client.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

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
});

/** Never answers; ends as a real request does when it is aborted. */
const unanswered: typeof fetch = (_input, init) =>
  new Promise((_done, fail) =>
    init!.signal!.addEventListener("abort", () => fail(init!.signal!.reason as Error)),
  );

it("gives up a call after 15 s, and long work after a minute", async () => {
  vi.useFakeTimers();
  vi.stubGlobal("fetch", unanswered);
  const supabase = createSupabase({ url: "http://festival.test", anonKey: "key" }, "session");
  const ends: string[] = [];
  const read = supabase
    .from("orders")
    .select()
    .then(({ error }) => ends.push("read") && error);
  const call = supabase.functions.invoke("payment-config").then(({ error }) => ends.push("call") && error);
  const paper = supabase.functions.invoke("order-documents").then(() => ends.push("paper"));
  await vi.advanceTimersByTimeAsync(14_900);
  expect(ends).toEqual([]);
  await vi.advanceTimersByTimeAsync(200);
  expect(ends.toSorted()).toEqual(["call", "read"]);
  expect(isOutOfTime(await read)).toBe(true);
  expect(isOutOfTime({ cause: (await call).context })).toBe(true);
  expect(isOutOfTime({ message: "AbortError: The user aborted a request." }), "amid an answer").toBe(true);
  await vi.advanceTimersByTimeAsync(45_000);
  await paper;
});

it("renews a session that is due, and never sends the public key in its place", async () => {
  const items = new Map<string, string>();
  const localStorage = {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, text: string) => items.set(key, text),
    removeItem: (key: string) => items.delete(key),
  };
  vi.stubGlobal("localStorage", localStorage);
  vi.stubGlobal("window", { localStorage, location: { href: "http://festival.test/" } });
  vi.stubGlobal("document", {});
  vi.useFakeTimers();
  const session = { access_token: "old", refresh_token: "r", token_type: "bearer", user: { id: "u" } };
  items.set("session", JSON.stringify({ ...session, expires_in: 3600, expires_at: 1 }));
  let isAwake = false;
  const sent: string[] = [];
  vi.stubGlobal("fetch", async (address: string, init: RequestInit) => {
    if (!isAwake) throw new TypeError("Failed to fetch");
    if (address.includes("/auth/v1/token"))
      return Response.json({ ...session, access_token: "new", expires_in: 3600 });
    sent.push(new Headers(init.headers).get("Authorization") ?? "");
    return Response.json([]);
  });
  const supabase = createSupabase({ url: "http://festival.test", anonKey: "key" }, "session");
  const renewal = supabase
    .from("orders")
    .select()
    .then((answer) => answer);
  await vi.advanceTimersByTimeAsync(60_000);
  expect((await renewal).error?.message).toContain("could not be renewed");
  isAwake = true;
  // auth-js refuses to try again at once.
  await vi.advanceTimersByTimeAsync(60_000);
  expect((await supabase.from("orders").select()).error).toBeNull();
  expect(sent).toEqual(["Bearer new"]);
  await supabase.auth.stopAutoRefresh();
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
