// Every method of the official client's admin API for users, links, factors and invitations.
import { createClient, type GoTrueAdminApi } from "@supabase/supabase-js";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { API, fragmentOf, PASSWORD, startAuth, type TestAuth } from "../../../testing/auth.ts";

let auth: TestAuth;
let admin: GoTrueAdminApi;
let key: string;
beforeAll(async () => {
  auth = await startAuth();
  key = await auth.serviceKey();
  admin = createClient(API, key, {
    auth: { persistSession: false, autoRefreshToken: false },
    global: { fetch: (input, init) => auth.fetch(new Request(input, init)) },
  }).auth.admin;
});
afterAll(() => auth.close());

const service = () => auth.database.asService("the test looks inside");
const grant = (body: object) => auth.call("POST", "/token?grant_type=password", body);
const made = async (email: string, more: object = {}) => {
  const { data, error } = await admin.createUser({ email, password: PASSWORD, email_confirm: true, ...more });
  expect(error).toBeNull();
  return data.user!;
};

describe("users", () => {
  it("stores only the given metadata for a user an administrator creates", async () => {
    const user = await made("shape@example.com", { user_metadata: { full_name: "Shape" } });
    expect(user.user_metadata).toEqual({ full_name: "Shape", email_verified: true });
    const plain = await admin.createUser({ email: "plain@example.com" });
    expect(plain.data.user!.user_metadata).toEqual({});
    expect(plain.data.user!.app_metadata).toEqual({ provider: "email", providers: ["email"] });
    expect(plain.data.user!.identities).toMatchObject([
      {
        identity_id: expect.any(String),
        id: plain.data.user!.id,
        provider: "email",
        identity_data: {
          sub: plain.data.user!.id,
          email: "plain@example.com",
          email_verified: false,
          phone_verified: false,
        },
      },
    ]);
  });

  it("accepts a phone number alone, in E.164 and only once", async () => {
    const { data } = await admin.createUser({ phone: "+1 713 555 0100", phone_confirm: true });
    expect(data.user).toMatchObject({
      phone: "17135550100",
      email: "",
      app_metadata: { provider: "phone", providers: ["phone"] },
      identities: [{ provider: "phone", identity_data: { phone: "17135550100" } }],
    });
    expect(data.user!.phone_confirmed_at).toBeDefined();
    const again = await admin.createUser({ phone: "17135550100" });
    expect(again.error).toMatchObject({ status: 422, code: "phone_exists" });
    const odd = await admin.createUser({ phone: "0713" });
    expect(odd.error).toMatchObject({ status: 400, message: "Invalid phone number format (E.164 required)" });
  });

  it("accepts the hash of a password from elsewhere, and refuses one it cannot compare", async () => {
    const hash = "$2b$04$NZGBN/JCRaaSwHvi9MpaMORbtEi6AAX5uvZPoexTTw6WORHkCeCpu";
    const { error } = await admin.createUser({
      email: "moved@example.com",
      email_confirm: true,
      password_hash: hash,
    });
    expect(error).toBeNull();
    for (const password_hash of ["$argon2id$v=19$m=1,t=1,p=1$AA$AA", hash.replace("$04$", "$31$")]) {
      const refused = await auth.call("POST", "/admin/users", { email: "m@example.com", password_hash }, key);
      expect([refused.status, refused.body.error_code]).toEqual([400, "validation_failed"]);
    }
    const both = { email: "m@example.com", password: PASSWORD, password_hash: hash };
    expect((await auth.call("POST", "/admin/users", both, key)).status).toBe(400);
  });

  it("gives a user who had neither an address and a number, each with an identity", async () => {
    const { data } = await admin.createUser({ phone: "17135550111" });
    const id = data.user!.id;
    const changed = await admin.updateUserById(id, {
      email: "later@example.com",
      email_confirm: true,
      phone: "17135550112",
      phone_confirm: true,
    });
    expect(changed.data.user).toMatchObject({ email: "later@example.com", phone: "17135550112" });
    expect(changed.data.user!.identities!.map(({ provider }) => provider).toSorted()).toEqual([
      "email",
      "phone",
    ]);
    await made("taken@example.com", { phone: "17135550113" });
    expect((await admin.updateUserById(id, { email: "taken@example.com" })).error?.code).toBe("email_exists");
    expect((await admin.updateUserById(id, { phone: "17135550113" })).error?.code).toBe("phone_exists");
  });

  it("bans for a duration in Go's notation, and lifts the ban", async () => {
    const user = await made("banned@example.com");
    const banned = await admin.updateUserById(user.id, { ban_duration: "1h30m" });
    const end = (banned.data.user as { banned_until?: string }).banned_until!;
    expect(Math.abs(new Date(end).getTime() - Date.now() - 5_400_000)).toBeLessThan(60_000);
    const refused = await grant({ email: "banned@example.com", password: PASSWORD });
    expect([refused.status, refused.body.error_code, refused.body.msg]).toEqual([
      400,
      "user_banned",
      "User is banned",
    ]);
    await admin.updateUserById(user.id, { ban_duration: "none" });
    expect((await grant({ email: "banned@example.com", password: PASSWORD })).status).toBe(200);
    for (const ban_duration of ["for ever", "1d", "-"]) {
      const odd = await admin.updateUserById(user.id, { ban_duration });
      expect(odd.error?.message).toMatch(/^invalid format for ban duration/);
    }
  });

  it("searches by address or full name, in either order, with the page headers", async () => {
    for (const name of ["Ada", "Bea", "Cleo"]) {
      await made(`${name.toLowerCase()}@pages.test`, { user_metadata: { full_name: `${name} Lovelace` } });
      auth.advance(1);
    }
    const list = async (query: string) => {
      const { body, headers } = await auth.call("GET", `/admin/users?${query}`, undefined, key);
      const emails = (body.users as { email: string }[]).map(({ email }) => email.split("@")[0]);
      return { emails, link: headers.get("link"), total: headers.get("x-total-count") };
    };
    expect(await list("page=2&per_page=1&filter=pages.test")).toEqual({
      emails: ["bea"],
      link: '</admin/users?page=3&per_page=1&filter=pages.test>; rel="next", </admin/users?page=3&per_page=1&filter=pages.test>; rel="last"',
      total: "3",
    });
    expect((await list("filter=LOVE&sort=created_at%20asc")).emails).toEqual(["ada", "bea", "cleo"]);
    expect((await list("filter=nobody")).total).toBe("0");
    const { data } = await admin.listUsers({ page: 1, perPage: 2 });
    expect(data).toMatchObject({ nextPage: 2, lastPage: expect.any(Number), aud: "authenticated" });
    for (const query of ["sort=email", "sort=created_at%20up", "page=x", "per_page=0", "per_page=-1"]) {
      const refused = await auth.call("GET", `/admin/users?${query}`, undefined, key);
      expect([query, refused.status, refused.body.error_code]).toEqual([query, 400, "validation_failed"]);
    }
  });

  it("deletes softly: the row stays, reveals nothing about its owner, and frees the address", async () => {
    const { user, access_token, refresh_token } = await auth.signedUp("soft@example.com");
    expect((await admin.deleteUser(user.id, true)).error).toBeNull();
    const { data } = await admin.getUserById(user.id);
    expect(data.user).toMatchObject({ user_metadata: {}, app_metadata: {} });
    expect(JSON.stringify(data.user)).not.toContain("soft@");
    expect(data.user!.deleted_at).toBeDefined();
    expect((await auth.call("GET", "/user", undefined, access_token)).body.error_code).toBe("user_not_found");
    const refreshed = await auth.call("POST", "/token?grant_type=refresh_token", { refresh_token });
    expect(refreshed.body.error_code).toBe("refresh_token_not_found");
    expect((await grant({ email: "soft@example.com", password: PASSWORD })).status).toBe(400);
    expect((await admin.deleteUser(user.id, true)).error).toBeNull();
    await made("soft@example.com");
  });

  it("refuses an invalid id before looking it up", async () => {
    for (const [method, path] of [
      ["PUT", "/admin/users/7"],
      ["DELETE", "/admin/users/7"],
      ["GET", "/admin/users/7/factors"],
    ] as const) {
      const body = method === "GET" ? undefined : {};
      const refused = await auth.call(method, path, body, key);
      expect([refused.status, refused.body.msg]).toEqual([404, "user_id must be an UUID"]);
    }
  });
});

describe("factors", () => {
  const factorOf = async (userId: string, name: string) => {
    const id = randomUUID();
    await service().query(
      `insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at, secret)
       values ($1, $2, $3, 'totp', 'verified', now(), now(), 'sealed')`,
      [id, userId, name],
    );
    return id;
  };

  it("lists them without their secrets, renames and deletes one, and weakens its sessions", async () => {
    const { user, refresh_token } = await auth.signedUp("factors@example.com");
    const id = await factorOf(user.id, "phone");
    await factorOf(user.id, "tablet");
    await service().query("update auth.sessions set aal = 'aal2', factor_id = $2 where user_id = $1", [
      user.id,
      id,
    ]);
    const { data } = await admin.mfa.listFactors({ userId: user.id });
    expect(data!.factors).toMatchObject([
      { id, friendly_name: "phone", factor_type: "totp", status: "verified" },
      { friendly_name: "tablet" },
    ]);
    expect(JSON.stringify(data)).not.toContain("sealed");
    expect((await admin.getUserById(user.id)).data.user!.factors).toHaveLength(2);
    const path = `/admin/users/${user.id}/factors/${id}`;
    expect((await auth.call("PUT", path, { friendly_name: "watch" }, key)).body.friendly_name).toBe("watch");
    const taken = await auth.call("PUT", path, { friendly_name: "tablet" }, key);
    expect(taken.body.error_code).toBe("mfa_factor_name_conflict");
    const removed = await admin.mfa.deleteFactor({ userId: user.id, id });
    expect(JSON.stringify(removed)).toContain(id);
    const gone = await admin.mfa.deleteFactor({ userId: user.id, id });
    expect(gone.error).toMatchObject({ status: 404, code: "mfa_factor_not_found" });
    const refreshed = await auth.call("POST", "/token?grant_type=refresh_token", { refresh_token });
    expect((await auth.claimsOf(refreshed.body.access_token))["aal"]).toBe("aal1");
  });

  it("does not find another user's factor", async () => {
    const [one, other] = [await made("one@factors.test"), await made("other@factors.test")];
    const id = await factorOf(one.id, "mine");
    expect((await admin.mfa.deleteFactor({ userId: other.id, id })).error?.code).toBe("mfa_factor_not_found");
    expect((await admin.mfa.listFactors({ userId: other.id })).data).toEqual({ factors: [] });
    expect((await admin.mfa.listFactors({ userId: one.id })).data!.factors).toHaveLength(1);
  });
});

describe("inviting", () => {
  it("mails a link that gives the account to the invited person", async () => {
    const { data, error } = await admin.inviteUserByEmail("guest@example.com", {
      data: { full_name: "Guest" },
      redirectTo: `${API}/welcome`,
    });
    expect(error).toBeNull();
    expect(data.user).toMatchObject({ email: "guest@example.com", user_metadata: { full_name: "Guest" } });
    expect(data.user!.invited_at).toBeDefined();
    expect(data.user!.email_confirmed_at).toBeUndefined();
    const link = auth.linkTo("guest@example.com");
    expect(link).toContain("type=invite");
    const opened = await auth.call("GET", link);
    expect(opened.headers.get("location")).toContain(`${API}/welcome#`);
    const { access_token } = fragmentOf(opened);
    expect((await auth.call("GET", "/user", undefined, access_token)).body).toMatchObject({
      email: "guest@example.com",
      user_metadata: { full_name: "Guest", email_verified: true },
    });
    const { rows } = await service().query(
      `select payload ->> 'action' as action from auth.audit_log_entries
       where payload ->> 'actor_id' = $1 or payload -> 'traits' ->> 'user_id' = $1 order by created_at`,
      [data.user!.id],
    );
    expect(rows.map(({ action }) => action)).toEqual(["user_invited", "invite_accepted"]);
    const again = await admin.inviteUserByEmail("guest@example.com");
    expect(again.error).toMatchObject({ status: 422, code: "email_exists" });
  });

  it("can be repeated until someone accepts, and requires the service key", async () => {
    await admin.inviteUserByEmail("slow@example.com");
    const first = auth.linkTo("slow@example.com");
    expect((await admin.inviteUserByEmail("slow@example.com")).error).toBeNull();
    expect(auth.linkTo("slow@example.com")).not.toBe(first);
    const { access_token } = await auth.signedUp("nosy@example.com");
    const refused = await auth.call("POST", "/invite", { email: "x@example.com" }, access_token);
    expect([refused.status, refused.body.error_code]).toEqual([403, "not_admin"]);
    expect((await auth.call("POST", "/invite", { email: "no address" }, key)).status).toBe(400);
  });

  it("keeps a stranger who signed up with the address out of the account", async () => {
    await auth.call("POST", "/signup", { email: "fought@example.com", password: "a stranger's own" });
    await admin.inviteUserByEmail("fought@example.com");
    await auth.call("GET", auth.linkTo("fought@example.com"));
    const refused = await grant({ email: "fought@example.com", password: "a stranger's own" });
    expect(refused.body.error_code).toBe("invalid_credentials");
  });
});

describe("links to hand over", () => {
  const open = (link: string) => auth.call("GET", new URL(link).pathname.slice(8) + new URL(link).search);

  it.each(["signup", "invite", "magiclink", "recovery"] as const)("makes one of type %s", async (type) => {
    const email = `${type}@links.test`;
    if (type === "recovery") await made(email);
    const before = auth.mails.length;
    const params = { type, email, options: { redirectTo: `${API}/here` } };
    const { data, error } = await admin.generateLink(
      (type === "signup" ? { ...params, password: PASSWORD } : params) as Parameters<
        GoTrueAdminApi["generateLink"]
      >[0],
    );
    expect(error).toBeNull();
    expect(data.user).toMatchObject({ email });
    // GoTrue turns a magic link into a sign-up for an address it does not know.
    const verification = type === "magiclink" ? "signup" : type;
    expect(data.properties).toMatchObject({
      verification_type: verification,
      redirect_to: `${API}/here`,
      hashed_token: expect.stringMatching(/^[0-9a-f]{56}$/),
      email_otp: expect.stringMatching(/^\d+$/),
    });
    expect(auth.mails).toHaveLength(before);
    const opened = await open(data.properties!.action_link);
    expect(opened.headers.get("location")).toContain(`${API}/here#access_token=`);
    expect((await open(data.properties!.action_link)).headers.get("location")).toContain("otp_expired");
  });

  it("returns the code that can be typed instead of opening the link", async () => {
    await made("typed@links.test");
    const { data } = await admin.generateLink({ type: "magiclink", email: "typed@links.test" });
    const verified = await auth.client().auth.verifyOtp({
      type: "magiclink",
      email: "typed@links.test",
      token: data.properties!.email_otp,
    });
    expect(verified.data.user?.email).toBe("typed@links.test");
  });

  it("creates both links of an address change, which needs both", async () => {
    const user = await made("old@links.test");
    const link = async (type: "email_change_current" | "email_change_new") => {
      const { data, error } = await admin.generateLink({
        type,
        email: "old@links.test",
        newEmail: "new@links.test",
      });
      expect(error).toBeNull();
      return data.properties!.action_link;
    };
    const links = [await link("email_change_current"), await link("email_change_new")];
    expect((await open(links[0]!)).headers.get("location")).toContain("message=");
    expect((await admin.getUserById(user.id)).data.user!.email).toBe("old@links.test");
    await open(links[1]!);
    expect((await admin.getUserById(user.id)).data.user!.email).toBe("new@links.test");
  });

  it("creates the link of a change to an address that a stranger signed up with and nobody confirmed", async () => {
    await made("mover@links.test");
    await auth.call("POST", "/signup", { email: "wanted@links.test", password: "a stranger's secret" });
    const { error } = await admin.generateLink({
      type: "email_change_new",
      email: "mover@links.test",
      newEmail: "wanted@links.test",
    });
    expect(error).toBeNull();
  });

  it.each(["email_change_current", "email_change_new"] as const)(
    "does not take %s twice for both",
    async (type) => {
      const from = `${type}-from@links.test`;
      const user = await made(from);
      for (let n = 0; n < 2; n++) {
        const { data } = await admin.generateLink({ type, email: from, newEmail: `${type}-to@links.test` });
        await open(data.properties!.action_link);
      }
      expect((await admin.getUserById(user.id)).data.user!.email).toBe(from);
    },
  );

  it("invalidates the links of a change to another address", async () => {
    const user = await made("moving@links.test");
    const link = async (type: "email_change_current" | "email_change_new", newEmail: string) =>
      (await admin.generateLink({ type, email: "moving@links.test", newEmail })).data.properties!.action_link;
    const first = await link("email_change_new", "first@links.test");
    const current = await link("email_change_current", "second@links.test");
    await open(first);
    await open(current);
    expect((await admin.getUserById(user.id)).data.user!.email).toBe("moving@links.test");
  });

  it.each([
    [{ type: "recovery", email: "nobody@links.test" }, 404, "user_not_found"],
    [{ type: "signup", email: "weak@links.test", password: "1234567" }, 422, "weak_password"],
    [{ type: "signup", email: "weak@links.test", password: "weak@links.test" }, 422, "weak_password"],
    [{ type: "signup", email: "none@links.test" }, 400, "validation_failed"],
    [{ type: "signup", email: "known@links.test", password: PASSWORD }, 422, "email_exists"],
    [{ type: "invite", email: "known@links.test" }, 422, "email_exists"],
    [
      { type: "email_change_new", email: "known@links.test", new_email: "shape@example.com" },
      422,
      "email_exists",
    ],
    [{ type: "pigeon", email: "known@links.test" }, 400, "validation_failed"],
  ])("refuses %j", async (body, status, code) => {
    await admin.createUser({ email: "known@links.test", email_confirm: true });
    const refused = await auth.call("POST", "/admin/generate_link", body, key);
    expect([refused.status, refused.body.error_code]).toEqual([status, code]);
  });
});

describe("the audit log", () => {
  it("lists newest first, in pages, and can be searched by actor, action and kind", async () => {
    await auth.signedUp("audited@example.com");
    const list = (query: string) => auth.call("GET", `/admin/audit?${query}`, undefined, key);
    const { body, headers } = await list("query=author:audited@&per_page=1");
    expect(body).toMatchObject([
      {
        id: expect.any(String),
        ip_address: "203.0.113.7",
        payload: { action: "login", log_type: "account", actor_username: "audited@example.com" },
      },
    ]);
    expect(Number(headers.get("x-total-count"))).toBeGreaterThan(1);
    expect(headers.get("link")).toMatch(/^<\/admin\/audit\?page=2&.*rel="next"/);
    const actions = (await list("query=action:invited")).body as { payload: { action: string } }[];
    expect(new Set(actions.map(({ payload }) => payload.action))).toEqual(new Set(["user_invited"]));
    expect((await list("query=type:nothing")).body).toEqual([]);
    expect((await list("query=color:red")).body.error_code).toBe("validation_failed");
    expect((await auth.call("GET", "/admin/audit", undefined, undefined)).status).toBe(401);
  });
});
