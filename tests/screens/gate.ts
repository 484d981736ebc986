// The gate in the sun and at night: every state people at the entrance see, and the board that is watched from afar.
import type { Page } from "@playwright/test";
import type { GateScan, GateScanAnswer } from "contract/gate";
import type { Account } from "../support/accounts.ts";
import { SESSION_KEY, store } from "../support/arrival.ts";
import { answer, choose, type Gate, openGate, typeCode } from "../support/gate-arrival.ts";
import type { Studio } from "./studio.ts";

const SCAN = "**/rest/v1/rpc/gate_scan";

const person: NonNullable<GateScanAnswer["person"]> = {
  kind: "ticket",
  name: "Bartholomew Featherstonehaugh-Cholmondeley",
  type: "General Admission",
  is_vip: false,
  includes_parking: false,
  order: "5f2b8a1e",
  code: "4a5b6c",
  plate: null,
};
const short = { ...person, name: "Ana Guest" };
const first = { at: Date.now() - 25 * 60_000, entrance: "Main Entrance", device: "Gate north" };

const answers: Readonly<Record<string, Omit<GateScanAnswer, "id">>> = {
  admit: { result: "admitted", person: short },
  "admit-long": { result: "admitted", person },
  "admit-vip": {
    result: "admitted",
    person: { ...short, name: "Vera Vip", type: "VIP", is_vip: true, includes_parking: true },
  },
  "admit-parking": {
    result: "admitted",
    person: { ...short, kind: "parking", type: "Preferred Parking", plate: "TX SLAB 1" },
  },
  "already-in": { result: "already_in", person, first },
  void: { result: "void", person: short },
  "old-code": { result: "old_code", person: short },
  "not-today": { result: "not_today", person: short, opens_at: Date.now() + 3_600_000 },
  "wrong-entrance": {
    result: "wrong_entrance",
    person: short,
    entrances: ["Main Entrance", "VIP Express", "East Gate"],
  },
  "not-inside": { result: "not_inside", person: short },
  out: { result: "let_out", person: short },
  undone: { result: "undone", person: short },
  unknown: { result: "unknown", detail: "not_in_books" },
};

/** One of each for all widths: an address may sign in only so often. */
let people: Promise<Readonly<Record<"user" | "gate" | "admin", Person>>> | undefined;

interface Person {
  readonly account: Account;
  readonly session: unknown;
}

async function newPeople(gate: Gate) {
  const person = async (role: "user" | "gate" | "admin"): Promise<Person> => {
    const account = await gate.newGatekeeper(role);
    const { data } = await (await gate.as(account)).auth.getSession();
    return { account, session: data.session };
  };
  return { user: await person("user"), gate: await person("gate"), admin: await person("admin") };
}

export async function shootGate(studio: Studio): Promise<void> {
  const { page, status } = studio;
  const gate = await openGate(status);
  const { user, gate: keeper, admin } = await (people ??= newPeople(gate));
  for (const theme of ["bright", "dark"] as const) {
    await page.emulateMedia({ colorScheme: theme === "dark" ? "dark" : "light" });
    const shoot = (state: string) => studio.shoot(`gate-${state}-${theme}`);
    await shootArrival(page, user, shoot);
    await arriveAs(page, keeper);
    await page.getByRole("heading", { name: "Your entrance" }).waitFor();
    await shoot("choose");
    await choose(page, "main", `Phone ${studio.width} ${theme}`);
    await page.locator(".gate-frame").waitFor();
    await shoot("ready");
    await shootAnswers(page, gate, shoot);
    await shootSheets(page, gate, shoot);
    await shootOffline(page, gate, shoot);
    const role = { user_id: keeper.account.id, role: "gate" };
    await gate.service.from("user_roles").delete().eq("user_id", role.user_id);
    await page.getByRole("heading", { name: "Access removed" }).waitFor();
    await shoot("removed");
    await gate.service.from("user_roles").insert(role);
    await shootWithoutCamera(page, keeper, shoot);
  }
  await shootBoard(studio, admin);
  await page.context().close();
}

type Shoot = (state: string) => Promise<void>;

/** A phone nobody has used. */
async function clearPhone(page: Page): Promise<void> {
  await page.goto("/robots.txt");
  await page.evaluate(async () => {
    localStorage.clear();
    const asked = indexedDB.deleteDatabase("houston-culture-festival:gate");
    await new Promise((done) => asked.addEventListener("success", done));
  });
  await page.goto("/gate");
}

async function arriveAs(page: Page, { session }: Person): Promise<void> {
  await clearPhone(page);
  await store(page, SESSION_KEY, session);
  await page.goto("/gate");
}

async function shootArrival(page: Page, user: Person, shoot: Shoot): Promise<void> {
  await clearPhone(page);
  await page.getByRole("form", { name: "Sign in" }).waitFor();
  await shoot("sign-in");
  await page.goto("/gate#invite=nobody-made-this");
  await page.getByRole("heading", { name: "Welcome to the gate" }).waitFor();
  await shoot("invitation");
  await page.getByRole("button", { name: "Start" }).click();
  await page.getByText("does not work any more").waitFor();
  await shoot("invitation-over");
  await arriveAs(page, user);
  await page.getByRole("heading", { name: "No gate access" }).waitFor();
  await shoot("no-role");
  await page.goto("/gate#invite=nobody-made-this");
  await page.getByRole("heading", { name: "Welcome back" }).waitFor();
  await shoot("invitation-again");
}

async function next(page: Page): Promise<void> {
  await page.evaluate(() => document.querySelector<HTMLElement>(".gate-result [data-main]")?.click());
  await answer(page).waitFor({ state: "hidden" });
}

async function shootAnswers(page: Page, gate: Gate, shoot: Shoot): Promise<void> {
  const [ticket] = await gate.sell("general");
  for (const [state, verdict] of Object.entries(answers)) {
    await page.route(SCAN, (route) => {
      const { p_scans } = route.request().postDataJSON() as { p_scans: GateScan[] };
      const results = p_scans.map(({ id }) => ({ id, ...verdict }));
      return route.fulfill({ json: { now: Date.now(), results } });
    });
    await typeCode(page, ticket!.code);
    await answer(page).waitFor();
    await shoot(state);
    await page.unroute(SCAN);
    await next(page);
  }
  for (const [state, code] of [
    ["forged", await gate.forge(ticket!)],
    ["cut", ticket!.code.slice(0, 100)],
  ] as const) {
    await typeCode(page, code);
    await answer(page).waitFor();
    await shoot(state);
    await next(page);
  }
}

async function shootSheets(page: Page, gate: Gate, shoot: Shoot): Promise<void> {
  await gate.sell("general", "Ana Guest", "Bartholomew Featherstonehaugh-Cholmondeley");
  await page.getByRole("button", { name: "Search" }).click();
  await page.getByLabel(/^Name, email, order/).fill("guest");
  await page.getByRole("listitem").first().waitFor();
  await shoot("search");
  await page.getByLabel(/^Name, email, order/).fill("zzzz nobody");
  await page.getByText("Nobody found").waitFor();
  await shoot("search-nobody");
  await page.getByRole("button", { name: "Close", exact: true }).click();
  await page.getByRole("button", { name: "Menu" }).click();
  await shoot("menu");
  await page.getByRole("button", { name: "Change entrance or name" }).click();
  await shoot("choose-again");
  await choose(page, "parking", "Lot phone");
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("switch", { name: "Ask for license plates" }).check();
  await page.getByRole("button", { name: "Close", exact: true }).click();
  const [permit] = await gate.sell("preferred", "Otto Mobile");
  await typeCode(page, permit!.code);
  await page.getByLabel("License plate").waitFor();
  await shoot("plate");
  await page.getByRole("button", { name: "Close", exact: true }).click();
}

async function shootOffline(page: Page, gate: Gate, shoot: Shoot): Promise<void> {
  const [ticket] = await gate.sell("general", "Olga Offline");
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("button", { name: "Change entrance or name" }).click();
  await choose(page, "main", "Phone of the south lane");
  await page.context().setOffline(true);
  await typeCode(page, ticket!.code);
  await answer(page).waitFor();
  await shoot("offline-admit");
  await answer(page).getByRole("button", { name: "Undo" }).click();
  await shoot("undo");
  await page.getByRole("button", { name: "Close", exact: true }).click();
  await next(page);
  await shoot("offline");
  // The server has let the same code in elsewhere meanwhile, and takes its time to say so.
  await page.route(SCAN, async (route) => {
    const { p_scans } = route.request().postDataJSON() as { p_scans: GateScan[] };
    const results = p_scans.map(({ id }) => ({ id, result: "admitted", conflict: true, first }));
    await shoot("syncing");
    await route.fulfill({ json: { now: Date.now(), results } });
  });
  await page.context().setOffline(false);
  await page.getByText("to sync").waitFor({ state: "hidden" });
  await page.unroute(SCAN);
  await shoot("conflict");
  await page.getByRole("button", { name: "1 conflict: look" }).click();
  await shoot("conflicts");
  await page.getByRole("button", { name: "Close", exact: true }).click();
}

async function shootWithoutCamera(page: Page, keeper: Person, shoot: Shoot): Promise<void> {
  await page.addInitScript(() => {
    if (location.search !== "?bare") return;
    navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException("", "NotAllowedError"));
    IDBObjectStore.prototype.put = () => {
      throw new DOMException("full", "QuotaExceededError");
    };
    const { now } = Date;
    Date.now = () => now() - 3 * 3_600_000;
  });
  await arriveAs(page, keeper);
  await choose(page, "main", "Bare phone");
  await page.goto("/gate?bare");
  await page.getByText("Camera not allowed").waitFor();
  await page.getByText("Storage full").waitFor();
  await page.getByText("clock is").waitFor();
  await shoot("no-camera-full-clock");
}

async function shootBoard({ page, width, shoot }: Studio, admin: Person): Promise<void> {
  await page.emulateMedia({ colorScheme: "light" });
  await store(page, SESSION_KEY, admin.session);
  await page.goto("/admin/gate");
  await page.getByText("Live", { exact: true }).waitFor();
  await shoot("gate-board");
  if (width === 1440) await page.setViewportSize({ width: 1920, height: 1080 });
  await page.getByRole("button", { name: "Full Screen", exact: true }).click();
  await page.getByRole("dialog", { name: "Gate board" }).waitFor();
  await shoot(width === 1440 ? "gate-wall-1920" : "gate-wall");
}
