// Mails contain sign-in links, so who may read them depends on who can reach the server.
import { request } from "node:http";
import { afterEach, beforeEach, expect, it } from "vitest";
import { serviceClient, visitorClient } from "../support/server/clients.ts";
import {
  type Festival,
  processesUsing,
  removeFolder,
  runFestivalToItsEnd,
  startFestival,
} from "../support/server/festival.ts";
import { preparedFolder } from "../support/server/prepared-data.ts";

let dataDir: string;
let festival: Festival | undefined;

beforeEach(() => {
  dataDir = preparedFolder();
});
afterEach(async () => {
  await festival?.stop("SIGKILL");
  festival = undefined;
  removeFolder(dataDir);
});

/** With Node's own client, because fetch sets Host itself. */
const statusOf = (headers: Record<string, string> = {}, localAddress = "127.0.0.1") =>
  new Promise<number | undefined>((done, fail) => {
    const { hostname, port } = new URL(festival!.url);
    const call = request(
      { hostname, port, path: "/mailbox/api/messages", headers, localAddress },
      (answer) => {
        answer.resume();
        done(answer.statusCode);
      },
    );
    call.on("error", fail);
    call.end();
  });

/** Of the newest mail; empty while there is none. */
async function newestSource(): Promise<string> {
  const list = (await (await fetch(`${festival!.url}/mailbox/api/messages`)).json()) as {
    messages: { url: string }[];
  };
  const [mail] = list.messages;
  return mail === undefined ? "" : (await fetch(`${festival!.url}${mail.url}/raw`)).text();
}

it("opens on its own machine, but not through a proxy or under another name", async () => {
  festival = await startFestival({ dataDir });
  expect(await statusOf()).toBe(200);
  expect(await statusOf({ "x-forwarded-for": "203.0.113.7" })).toBe(403);
  expect(await statusOf({ host: "rebound.example" })).toBe(403);
});

it("shows mails about an account that say where answers go, and that a machine wrote them", async () => {
  festival = await startFestival({ dataDir });
  const { error } = await visitorClient(festival.status).auth.signUp({
    email: "new@people.test",
    password: "swangas and vogues",
  });
  expect(error).toBeNull();
  await expect.poll(newestSource).toMatch(/^Reply-To: \S+@\S+\r?$/m);
  const source = await newestSource();
  expect(source).toMatch(/^Auto-Submitted: auto-generated\r?$/m);
  expect(source).not.toMatch(/unsubscribe/i);
});

it("shows a message whose reader's mail program unsubscribes with one click", async () => {
  festival = await startFestival({ dataDir });
  const { ADMIN_EMAIL, ADMIN_PASSWORD } = festival.status;
  const admin = visitorClient(festival.status);
  await admin.auth.signInWithPassword({ email: ADMIN_EMAIL!, password: ADMIN_PASSWORD! });
  const { error } = await admin.rpc("send_message_test", { p_subject: "Doors", p_body: "At nine." });
  expect(error).toBeNull();
  await expect.poll(newestSource).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r?$/m);
  const source = (await newestSource()).replaceAll(/\r?\n[ \t]+/g, " ");
  const [, url] = /^List-Unsubscribe: ?<(\S+)>\r?$/m.exec(source)!;

  // As Gmail and Yahoo call it: without Origin, key or cookie.
  const body = new URLSearchParams({ "List-Unsubscribe": "One-Click" });
  const pressed = await fetch(url!, { method: "POST", body });
  expect([pressed.status, await pressed.json()]).toEqual([200, { state: "opted_out" }]);
  const followed = await fetch(url!, { redirect: "manual" });
  expect(followed.status).toBe(303);
  const page = new URL(followed.headers.get("location")!);
  expect([page.origin, page.pathname]).toEqual([new URL(festival.url).origin, "/unsubscribe"]);
  expect(page.hash).toMatch(/^#[0-9a-f]{96}$/);
  expect((await fetch(page)).status).toBe(200);
});

it("is not open to others: the start names what to set and leaves nothing running", async () => {
  const { code, output } = await runFestivalToItsEnd({ dataDir, env: { HOST: "0.0.0.0" } });
  expect(code).toBe(1);
  expect(output).toContain("SMTP_URL");
  expect(output).toContain("STRIPE_SECRET_KEY");
  expect(processesUsing(dataDir)).toEqual([]);
});

it("opens only to administrators if the operator made it public", async () => {
  festival = await startFestival({
    dataDir,
    env: { HOST: "0.0.0.0", MAILBOX: "true", PAYMENTS_SANDBOX: "true" },
  });
  const { ANON_KEY, ADMIN_EMAIL, ADMIN_PASSWORD } = festival.status;
  const basic = (email: string, password: string) => ({
    authorization: `Basic ${Buffer.from(`${email}:${password}`).toString("base64")}`,
  });
  expect(await statusOf()).toBe(401);
  expect(await statusOf(basic(ADMIN_EMAIL!, "not the password"))).toBe(401);
  expect(await statusOf({ authorization: `Bearer ${ANON_KEY}` })).toBe(401);
  // An attacker who guesses locks out only their own address.
  for (let guess = 1; guess <= 8; guess++) {
    expect(await statusOf(basic(ADMIN_EMAIL!, `guess ${guess}`), "127.0.0.2")).toBe(401);
  }
  expect(await statusOf(basic(ADMIN_EMAIL!, ADMIN_PASSWORD!), "127.0.0.2")).toBe(401);
  expect(await statusOf(basic(ADMIN_EMAIL!, ADMIN_PASSWORD!))).toBe(200);
  const service = serviceClient(festival.status);
  const buyer = { email: "buyer@example.com", password: "a buyer's own password" };
  await service.auth.admin.createUser({ ...buyer, email_confirm: true });
  expect(await statusOf(basic(buyer.email, buyer.password))).toBe(401);
});
