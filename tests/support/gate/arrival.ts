// A gate to test at: sold tickets with codes that the gate accepts, and people who may work there. The server's signing key is
// its own secret, so a key of the test's is registered next to it, as a rotated one is.
import { randomUUID } from "node:crypto";
import type { Page } from "@playwright/test";
import type { SupabaseClient } from "@supabase/supabase-js";
import { signOldToken } from "../../../contract/src/tickets/testing/old-token.ts";
import { signTicketToken, type TicketKey } from "../../../contract/src/tickets/ticket-token.ts";
import { type Account, createAccount } from "../shop/accounts.ts";
import { catalog, SESSION_KEY, store } from "../shop/arrival.ts";
import { serviceClient, visitorClient } from "../server/clients.ts";
import { entrances } from "./device.ts";
import { sellOrder } from "../shop/sell.ts";

/** As the festival is seeded. */
const EVENT = "hcf-2025";

interface SoldCode {
  readonly id: string;
  readonly typeId: string;
  readonly order: string;
  /** The content of the QR code. */
  readonly code: string;
}

export interface Gate {
  readonly service: SupabaseClient;
  sell(what: keyof typeof catalog, ...names: string[]): Promise<SoldCode[]>;
  sign(claims: { id: string; typeId: string; issue?: number; event?: string }): Promise<string>;
  /** The code's content as it was sold before decision 079. */
  signOld(code: SoldCode): Promise<string>;
  /** Signs the code with a key that no gate knows. */
  forge(code: SoldCode): Promise<string>;
  newGatekeeper(role?: "gate" | "admin" | "user"): Promise<Account>;
  /** A session of the gate's crew: one account for every phone whose account does not matter. */
  crew(): Promise<unknown>;
  /** A client of that account. */
  as(account: Account): Promise<SupabaseClient>;
  admissions(codeId: string): Promise<Record<string, unknown>[]>;
}

export async function openGate(status: Readonly<Record<string, string>>): Promise<Gate> {
  const service = serviceClient(status);
  const key = await newKey();
  await checked(service.from("entry_keys").insert({ id: randomUUID(), public_jwk: key.publicJwk }));
  let crew: Promise<unknown> | undefined;
  const gate: Gate = {
    service,
    async sell(what, ...names) {
      const item = catalog[what];
      const guests = names.length > 0 ? names : ["Ana Guest"];
      const { id } = await createAccount(status);
      const email = `${id}@example.com`;
      // Parking is sold together with a ticket.
      const seats =
        item.type === "ticket" ? { ...item, count: guests.length } : { ...catalog.general, count: 1 };
      const order = await sellOrder(service, {
        buyer: { id, name: guests[0]!, email, phone: "713 555 0100" },
        items: [
          { id: seats.id, type: "ticket", quantity: seats.count },
          ...(item.type === "parking" ? [{ id: item.id, type: "parking", quantity: 1 }] : []),
        ],
        attendees: guests.slice(0, seats.count).map((name) => ({ name, email, ticket_type_id: seats.id })),
        cents: (seats.price * seats.count + (item.type === "parking" ? item.price : 0)) * 100,
      });
      const rows = (await checked(
        service
          .from("entry_codes")
          .select("id")
          .eq("order_id", order)
          .eq("kind", item.type)
          .order("position"),
      )) as { id: string }[];
      return Promise.all(
        rows.map(async ({ id }) => ({
          id,
          typeId: item.id,
          order,
          code: await gate.sign({ id, typeId: item.id }),
        })),
      );
    },
    sign: ({ id, typeId, issue = 1, event = EVENT }) =>
      signTicketToken({ ticketId: id, ticketTypeId: typeId, issueNumber: issue, event }, key.privateKey),
    signOld: ({ id, typeId }) =>
      signOldToken({ ticketId: id, ticketTypeId: typeId, issueNumber: 1, event: EVENT }, key.privateKey),
    async forge({ id, typeId }) {
      const { privateKey } = await newKey();
      return signTicketToken(
        { ticketId: id, ticketTypeId: typeId, issueNumber: 1, event: EVENT },
        privateKey,
      );
    },
    async newGatekeeper(role = "gate") {
      const account = await createAccount(status);
      await checked(service.from("user_roles").upsert({ user_id: account.id, role }));
      return account;
    },
    crew: () => (crew ??= newSession(gate)),
    async as({ email, password }) {
      const client = visitorClient(status);
      const { error } = await client.auth.signInWithPassword({ email, password });
      if (error) throw error;
      return client;
    },
    admissions: async (codeId) =>
      (await checked(service.from("admissions").select().eq("code_id", codeId))) as Record<string, unknown>[],
  };
  return gate;
}

async function newSession(gate: Gate): Promise<unknown> {
  const client = await gate.as(await gate.newGatekeeper());
  const { data } = await client.auth.getSession();
  return data.session;
}

async function newKey(): Promise<{ privateKey: TicketKey; publicJwk: JsonWebKey }> {
  const pair = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]);
  const { kty, crv, x } = await crypto.subtle.exportKey("jwk", pair.publicKey);
  return { privateKey: pair.privateKey, publicJwk: { kty, crv, x } };
}

async function checked(asked: PromiseLike<{ data: unknown; error: unknown }>): Promise<unknown> {
  const { data, error } = await asked;
  if (error) throw new Error(JSON.stringify(error));
  return data;
}

/** On a phone of the crew, or of the account, which signs in by the form. */
export async function startScanning(
  page: Page,
  gate: Gate,
  {
    account,
    entrance = "main",
    name = `Phone ${randomUUID().slice(0, 6)}`,
  }: { account?: Account; entrance?: keyof typeof entrances; name?: string } = {},
): Promise<void> {
  if (!account) await store(page, SESSION_KEY, await gate.crew());
  await page.goto("/gate");
  if (account) await signInHere(page, account);
  await choose(page, entrance, name);
}

export async function signInHere(page: Page, { email, password }: Account): Promise<void> {
  const form = page.getByRole("form", { name: "Sign in" });
  await form.getByLabel("Email").fill(email);
  await form.getByLabel("Password").fill(password);
  await form.getByRole("button", { name: "Sign In", exact: true }).click();
}

export async function choose(page: Page, entrance: keyof typeof entrances, name: string): Promise<void> {
  await page.getByRole("radio", { name: entrances[entrance].name }).check();
  await page.getByLabel("Phone name").fill(name);
  await page.getByRole("button", { name: "Start scanning" }).click();
  await page.getByText("List from").waitFor();
}

/** As a keyboard scanner types: one key per millisecond, however busy the machine is, with Enter at the end. */
export async function typeCode(page: Page, code: string): Promise<void> {
  await press(
    page,
    "body",
    [...code, "Enter"].map((key) => ({ key })),
  );
}

/** On a phone set to French, which has other letters and signs on many of the scanner's keys. */
export async function typeCodeInFrench(page: Page, code: string, selector = "body"): Promise<void> {
  const keys = [...code].map((key) => {
    const letter = { A: "Q", Q: "A", Z: "W", W: "Z" }[key] ?? key;
    if (/\d/.test(key)) return { key: "à&é\"'(-è_ç"[Number(key)]!, code: `Digit${key}` };
    return { key: letter, code: `Key${key}`, shiftKey: true };
  });
  await press(page, selector, [...keys, { key: "Enter" }]);
}

type PressedKey = Pick<KeyboardEventInit, "key" | "code" | "shiftKey">;

async function press(page: Page, selector: string, keys: readonly PressedKey[]): Promise<void> {
  await page.locator(selector).evaluate((target, keys) => {
    const from = performance.now();
    for (const [index, key] of keys.entries()) {
      const event = new KeyboardEvent("keydown", { ...key, bubbles: true, cancelable: true });
      Object.defineProperty(event, "timeStamp", { value: from + index });
      target.dispatchEvent(event);
    }
  }, keys);
}

export const answer = (page: Page) => page.getByRole("region", { name: "Result" });
