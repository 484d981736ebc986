// The gate in the sun and at night, on phones, tablets and tills: every state that people at the entrance see, and the board
// watched from afar. Each state is created once and photographed in all sizes, bright and dark.
import type { Page } from "@playwright/test";
import type { Account } from "../support/shop/accounts.ts";
import { SESSION_KEY, store } from "../support/shop/arrival.ts";
import { answer, choose, type Gate, openGate, typeCode } from "../support/gate/arrival.ts";
import { answersAt } from "./gate-answers.ts";
import { changeAnswers, type Changes } from "./gate-server.ts";
import type { Studio } from "./studio.ts";

/** Small and ordinary phones, one on its side, tablets, tills. */
const SIZES = [
  [320, 568],
  [390, 844],
  [844, 390],
  [820, 1180],
  [1024, 768],
  [1280, 800],
  [1440, 900],
] as const;
const PHONE = { width: 390, height: 844 };
const LONG_NAME = "Bartholomew Featherstonehaugh-Cholmondeley";

/** A phone at the gate, and the tools to take its pictures. */
interface Stage {
  readonly page: Page;
  readonly gate: Gate;
  readonly keeper: Person;
  readonly change: (changes: Changes) => void;
  readonly shoot: (state: string) => Promise<void>;
}

interface Person {
  readonly account: Account;
  readonly session: unknown;
}

export async function shootGate(studio: Studio): Promise<void> {
  const { page, status, width } = studio;
  if (width === PHONE.width) {
    const gate = await openGate(status);
    await page.addInitScript(lendPhone);
    const change = await changeAnswers(page);
    const shoot = (state: string) => shootSizes(studio, `gate-${state}`);
    const stage = { page, gate, keeper: await newPerson(gate, "gate"), change, shoot };
    await shootArrival(stage);
    await shootChoosing(stage);
    await shootScanner(stage);
    await shootAnswers(stage);
    await shootSearch(stage);
    await shootMenus(stage);
    await shootOffline(stage);
    await shootTroubles(stage);
    await shootRemovals(stage);
    await shootBoard(studio, await newPerson(gate, "admin"));
  }
  await page.context().close();
}

async function shootSizes({ page, shoot }: Studio, state: string): Promise<void> {
  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height });
    for (const scheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      await shoot(`${state}-${scheme}`);
    }
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize(PHONE);
}

/** Runs in the page: a camera with a torch that fails on demand, and a storage that can be full or unreadable. */
function lendPhone(): void {
  const { open } = IDBFactory.prototype;
  IDBFactory.prototype.open = function (this: IDBFactory, ...args) {
    if (localStorage.getItem("unreadable")) throw new DOMException("", "UnknownError");
    return open.apply(this, args);
  };
  const { put } = IDBObjectStore.prototype;
  IDBObjectStore.prototype.put = function (this: IDBObjectStore, ...args: Parameters<typeof put>) {
    if (localStorage.getItem("full")) throw new DOMException("full", "QuotaExceededError");
    return put.apply(this, args);
  };
  if (!navigator.mediaDevices) return;
  const getCamera = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
  navigator.mediaDevices.getUserMedia = (asked) => {
    const failure = localStorage.getItem("camera");
    return failure ? Promise.reject(new DOMException("", failure)) : getCamera(asked);
  };
  const track = MediaStreamTrack.prototype;
  const { getCapabilities } = track;
  track.getCapabilities = function (this: MediaStreamTrack) {
    return Object.assign(getCapabilities.call(this), { torch: true });
  };
  track.applyConstraints = () => Promise.resolve();
}

async function newPerson(gate: Gate, role: "user" | "gate" | "admin"): Promise<Person> {
  const account = await gate.newGatekeeper(role);
  const { data } = await (await gate.as(account)).auth.getSession();
  return { account, session: data.session };
}

/** On a new phone. */
async function arriveAs(page: Page, person?: Person): Promise<void> {
  await page.goto("/robots.txt");
  await page.evaluate(async () => {
    localStorage.clear();
    const asked = indexedDB.deleteDatabase("houston-culture-festival:gate");
    await new Promise((done) => asked.addEventListener("success", done));
  });
  if (person) await store(page, SESSION_KEY, person.session);
  await page.goto("/gate");
}

const press = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, exact: typeof name === "string" }).click();

async function next(page: Page): Promise<void> {
  await answer(page).getByRole("button", { name: "Next" }).click();
  await answer(page).waitFor({ state: "hidden" });
}

async function shootArrival({ page, gate, keeper, change, shoot }: Stage): Promise<void> {
  await arriveAs(page);
  await page.getByRole("form", { name: "Sign in" }).waitFor();
  await shoot("sign-in");
  await page.goto("/gate#invite=nobody-made-this");
  await page.getByRole("heading", { name: "Welcome to the gate" }).waitFor();
  await shoot("invitation");
  await press(page, "Start");
  await page.getByText("no longer works").waitFor();
  await shoot("invitation-over");
  const user = await newPerson(gate, "user");
  await arriveAs(page, user);
  await page.getByRole("heading", { name: "No gate access" }).waitFor();
  await shoot("no-role");
  await page.goto("/gate#invite=nobody-made-this");
  await page.getByRole("heading", { name: "Welcome back" }).waitFor();
  await shoot("invitation-again");
  change({ isSilent: true });
  await arriveAs(page, keeper);
  await page.getByText("Opening the gate").waitFor();
  await shoot("opening");
  change({ isCut: true });
  await arriveAs(page, keeper);
  await page.getByRole("heading", { name: "No network" }).waitFor();
  await shoot("no-network");
  change({});
}

async function shootChoosing({ page, keeper, change, shoot }: Stage): Promise<void> {
  const heading = page.getByRole("heading", { name: "Your entrance" });
  await arriveAs(page, keeper);
  await heading.waitFor();
  await shoot("choose");
  change({ isCut: true });
  await press(page, "Start scanning");
  await page.getByText("You need a connection").waitFor();
  await shoot("choose-no-network");
  change({ entrances: (entrances) => entrances.map((one) => ({ ...one, is_open: false })) });
  await page.reload();
  await page.getByText("No entrance is open").waitFor();
  await shoot("choose-none-open");
  change({});
}

async function shootScanner({ page, keeper, change, shoot }: Stage): Promise<void> {
  await arriveAs(page, keeper);
  await choose(page, "main", "Phone of the south lane");
  await page.locator(".gate-frame").waitFor();
  await shoot("ready");
  await press(page, "Torch");
  await shoot("torch");
  await press(page, "Torch");
  change({
    entrances: (all) => all.map((one) => ({ ...one, name: `Community Entrance of ${LONG_NAME}` })),
  });
  await page.getByText("Community Entrance").first().waitFor();
  await shoot("long-entrance");
  change({ settings: { doors_open_at: Date.now() + 3_600_000 } });
  await page.getByText(/^Doors open/).waitFor();
  await shoot("chip-doors");
  change({ entrances: (all) => all.map((one) => ({ ...one, is_open: false })) });
  await page.getByText("This entrance is closed").waitFor();
  await shoot("chip-closed");
  change({ settings: { reentry: true } });
  await page.getByRole("radio", { name: "In" }).waitFor();
  await shoot("reentry");
  await page.getByRole("radio", { name: "Out" }).check();
  await shoot("reentry-out");
  change({});
  await page.getByRole("radio", { name: "Out" }).waitFor({ state: "hidden" });
}

async function shootAnswers({ page, gate, change, shoot }: Stage): Promise<void> {
  const [ticket] = await gate.sell("general");
  const shows = async (state: string, code: string) => {
    await typeCode(page, code);
    await answer(page).waitFor();
    await shoot(state);
    await next(page);
  };
  for (const [state, said] of Object.entries(answersAt(Date.now()))) {
    change({ answer: said });
    await shows(state, ticket!.code);
  }
  change({});
  await shows("unknown-forged", await gate.forge(ticket!));
  await shows("unknown-malformed", "HELLO-WORLD");
  await shows("unknown-other-festival", await gate.sign({ ...ticket!, event: "hcf-2024" }));
  await shows("scan-again", ticket!.code.slice(0, 100));
}

async function shootSearch({ page, gate, change, shoot }: Stage): Promise<void> {
  const [inside, voided] = await gate.sell("general", "Gustav Guest", "Greta Guest", LONG_NAME);
  await gate.sell("vip", "Gina Guest");
  const refunded = { voided_at: new Date().toISOString() };
  const { error } = await gate.service.from("tickets").update(refunded).eq("id", voided!.id);
  if (error) throw error;
  await typeCode(page, inside!.code);
  await answer(page).waitFor();
  await next(page);
  const field = page.getByLabel(/^Name, email, order/);
  await press(page, "Search");
  await shoot("search-empty");
  await field.fill("guest");
  await page.getByRole("listitem").nth(3).waitFor();
  await shoot("search");
  await field.fill("bartholomew");
  await page.locator(".gate-people:not([inert])").filter({ hasText: LONG_NAME }).waitFor();
  await shoot("search-long");
  await field.fill("zzzz nobody");
  await page.getByText("No results").waitFor();
  await shoot("search-nobody");
  await press(page, "Close");
  await press(page, "Recent");
  await page.getByRole("button", { name: "Undo Gustav Guest" }).waitFor();
  await shoot("recent");
  await press(page, "Undo Gustav Guest");
  await shoot("undo");
  await press(page, "Close");
  await press(page, "Close");
  change({});
}

async function shootMenus({ page, gate, shoot }: Stage): Promise<void> {
  await press(page, "Menu");
  await shoot("menu");
  await page.evaluate(() =>
    dispatchEvent(Object.assign(new Event("beforeinstallprompt"), { prompt: () => Promise.resolve() })),
  );
  await page.getByRole("button", { name: "Install the gate" }).waitFor();
  await shoot("menu-install");
  await press(page, "Sign out");
  await shoot("menu-sign-out");
  await press(page, "Stay");
  await press(page, "Install the gate");
  const iphone = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Safari/604.1";
  await page.evaluate((value) => Object.defineProperty(navigator, "userAgent", { value }), iphone);
  await press(page, "Close");
  await press(page, "Menu");
  await page.getByText("Add to Home Screen").waitFor();
  await shoot("menu-iphone");
  await press(page, /^Change entrance/);
  await shoot("choose-again");
  await choose(page, "parking", "Lot phone");
  await press(page, "Menu");
  await page.getByRole("switch", { name: "Ask for license plates" }).check();
  await press(page, "Close");
  const [permit] = await gate.sell("preferred", "Otto Mobile");
  await typeCode(page, permit!.code);
  await page.getByLabel("License plate").waitFor();
  await shoot("plate");
  await page.getByLabel("License plate").fill(permit!.code.slice(0, 20));
  await press(page, "Admit");
  await page.getByText("That was an entry code").waitFor();
  await shoot("plate-code");
  await press(page, "Close");
}

async function shootOffline({ page, gate, change, shoot }: Stage): Promise<void> {
  const [ticket, second, third] = await gate.sell("general", "Olga Offline", LONG_NAME, "Nora Never");
  await press(page, "Menu");
  await press(page, /^Change entrance/);
  await choose(page, "main", "Phone of the south lane");
  change({ isCut: true });
  for (const { code } of [second!, third!, ticket!]) {
    await typeCode(page, code);
    await page.getByText("Decided on this phone").waitFor();
    if (code !== ticket!.code) await next(page);
  }
  await shoot("offline-admit");
  await next(page);
  const late = await gate.sign({ id: crypto.randomUUID(), typeId: ticket!.typeId });
  await typeCode(page, late);
  await page.getByText("Sold after").waitFor();
  await shoot("offline-unlisted");
  await next(page);
  await shoot("offline");
  await press(page, "Menu");
  await shoot("offline-menu");
  await press(page, "Close");
  await press(page, "Search");
  await page.getByLabel(/^Name, email, order/).fill("offline");
  await page.getByText("found in this phone’s list").waitFor();
  await shoot("offline-search");
  await press(page, "Close");
  const first = { at: Date.now() - 25 * 60_000, entrance: "Main Entrance", device: "Gate north" };
  change({ answer: { result: "admitted", conflict: true, at: Date.now(), first } });
  await page.getByText("to sync").waitFor({ state: "hidden" });
  await page.getByRole("button", { name: /conflicts: view/ }).waitFor();
  await shoot("conflicts-chip");
  await press(page, /conflicts: view/);
  await shoot("conflicts");
  await press(page, /^Seen Olga/);
  await shoot("conflicts-seen");
  await press(page, "Close");
}

async function shootTroubles({ page, gate, keeper, change, shoot }: Stage): Promise<void> {
  const [ticket] = await gate.sell("general", "Nell Noted");
  await arriveAs(page, keeper);
  await choose(page, "main", "Phone of the south lane");
  change({ isCut: true });
  await typeCode(page, ticket!.code);
  await answer(page).waitFor();
  await next(page);
  change({ answer: { result: "unknown", detail: "not_recorded" } });
  await page.getByRole("button", { name: "1 notice: view" }).waitFor();
  await shoot("notice-chip");
  await press(page, "1 notice: view");
  await shoot("notices");
  await press(page, /^Seen Nell/);
  await press(page, "Close");
  change({ refused: "The database is read-only for maintenance." });
  await page.getByText("The server refused").waitFor();
  await shoot("chip-refused");
  change({ ahead: 3 * 3_600_000 });
  await page.getByText("clock is").waitFor();
  await page.evaluate(() => localStorage.setItem("full", "yes"));
  await page.getByText("Storage full").waitFor();
  await shoot("chips-full-clock");
  await page.evaluate(() => localStorage.removeItem("full"));
  change({});
  for (const failure of [
    "NotAllowedError",
    "NotFoundError",
    "NotReadableError",
    "UnreadableError",
    "InsecureError",
  ]) {
    await page.evaluate((name) => localStorage.setItem("camera", name), failure);
    await page.reload();
    await page.getByRole("button", { name: "Try again" }).waitFor();
    await shoot(`camera-${failure}`);
  }
  await page.evaluate(() => localStorage.removeItem("camera"));
  await page.evaluate(() => localStorage.setItem("unreadable", "yes"));
  await page.reload();
  await page.getByRole("heading", { name: "Storage can’t be read" }).waitFor();
  await shoot("unreadable");
  await press(page, "Try again");
  await page.getByText("It still cannot be read.").waitFor();
  await shoot("unreadable-still");
  await press(page, "Continue without");
  await page.getByRole("button", { name: "Read them now" }).waitFor();
  await shoot("chip-unread");
  await page.evaluate(() => localStorage.removeItem("unreadable"));
  await press(page, "Read them now");
  await page.getByRole("button", { name: "Read them now" }).waitFor({ state: "hidden" });
  await page.getByText("List from").waitFor();
  await page.evaluate(() => {
    crypto.randomUUID = () => {
      throw new Error("on purpose");
    };
  });
  await typeCode(page, ticket!.code);
  await answer(page).waitFor();
  await shoot("scan-failed");
}

async function shootRemovals({ page, keeper, change, shoot }: Stage): Promise<void> {
  for (const why of [
    "device_revoked",
    "role_removed",
    "invitation_revoked",
    "invitation_ended",
    "session_ended",
  ]) {
    change({});
    await arriveAs(page, keeper);
    await choose(page, "main", "Phone of the south lane");
    change({ removed: why });
    await page.getByRole("heading", { name: "Access removed" }).waitFor();
    await shoot(`removed-${why}`);
  }
  change({});
}

async function shootBoard({ page, shoot }: Studio, admin: Person): Promise<void> {
  await store(page, SESSION_KEY, admin.session);
  await page.goto("/admin/gate");
  await page.getByText("Live", { exact: true }).waitFor();
  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height });
    await shoot("gate-board");
  }
  await page.setViewportSize({ width: 1920, height: 1080 });
  await page.getByRole("button", { name: "Full Screen", exact: true }).click();
  await page.getByRole("dialog", { name: "Gate board" }).waitFor();
  await shoot("gate-wall");
}
