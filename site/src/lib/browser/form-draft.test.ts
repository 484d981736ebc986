import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { forgetDrafts, formDraft } from "./form-draft.ts";

afterEach(() => vi.unstubAllGlobals());

/** As the browser's: its entries are its own properties. */
function storage(): Record<string, unknown> {
  const methods = {
    getItem: (key: string) => (Object.hasOwn(entries, key) ? entries[key] : null),
    setItem: (key: string, text: string) => (entries[key] = text),
    removeItem: (key: string) => delete entries[key],
  };
  const entries: Record<string, unknown> = Object.create(methods);
  return entries;
}

it("forgets the drafts of all forms, also of one that nobody listed, and nothing else", () => {
  const sessionStorage = storage();
  vi.stubGlobal("window", { sessionStorage });
  const draft = formDraft("a form of tomorrow", { name: "" }, (_name, value) => typeof value === "string");
  draft.keep({ name: "Ana" });
  sessionStorage["houston-culture-festival:visit-session"] = '"7"';
  expect(draft.read()).toEqual({ name: "Ana" });
  forgetDrafts();
  expect(draft.read()).toBeUndefined();
  expect(Object.keys(sessionStorage)).toEqual(["houston-culture-festival:visit-session"]);
});

/** What else the browser keeps, and why it may outlive a logout, unless that removes it. */
const keys: Record<string, string> = {
  "auth-email": "what signing in needs, before there is an account",
  "awaited-code": "what signing in needs, before there is an account",
  "awaited-confirmation": "what signing in needs, before there is an account",
  "awaited-reset": "what signing in needs, before there is an account",
  cart: "removed, but for the items",
  checkout: "the name of a lock, which keeps nothing",
  comps: "an unanswered call, for its own administrator",
  "dead-link": "a link's failure",
  "door-sale": "an unanswered call, for its own seller",
  "email-change": "how far a change of address is",
  errors: "failures of this browser, without what people typed",
  "forget-details": "tells the other tabs to forget",
  gate: "lists and scans: the gate removes the names when its user signs out, and keeps scans that nobody has received",
  "gate-": "preferences of a gate phone",
  "gate-device": "the device's id",
  "gate-last-scan": "a number",
  "gate-phone": "a gate phone's own secret",
  "gate-queue": "scans that nobody has received",
  "keep-tickets": "the choice to keep tickets offline",
  "kept-tickets-of": "removed with the kept tickets",
  "logged-out": "that somebody logged out",
  notifications: "a bell's entries, of one user",
  "opened-elsewhere": "that a link belongs to another browser",
  "return-path": "a path",
  session: "removed",
  tickets: "removed",
  "visit-session": "a random number of this tab",
  "waiting-line": "a place of a visitor without an account",
};

it("is the only place where what people type is kept: every other key is decided about", () => {
  const sources = globSync("**/*.{ts,tsx}", { cwd: join(import.meta.dirname, "../..") });
  const found = sources
    .filter((path) => !path.includes(".test."))
    .flatMap((path) => [
      ...readFileSync(join(import.meta.dirname, "../..", path), "utf8").matchAll(
        /houston-culture-festival:([a-z-]+)/g,
      ),
    ])
    .map(([, key]) => key!)
    .filter((key) => key !== "draft");
  expect([...new Set(found)].toSorted()).toEqual(Object.keys(keys).toSorted());
});
