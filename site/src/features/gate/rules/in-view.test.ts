import { signTicketToken } from "contract/tickets/ticket-token";
import { beforeAll, expect, it } from "vitest";
import { createInView } from "./in-view.ts";

const ADVERT = "https://example.com/lemonade";
const POSTER = "https://example.com/next-year";
let ours: string;
let second: string;

beforeAll(async () => {
  const { privateKey } = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]);
  const sign = () =>
    signTicketToken(
      { ticketId: crypto.randomUUID(), ticketTypeId: crypto.randomUUID(), issueNumber: 1, event: "hcf-2025" },
      privateKey,
    );
  [ours, second] = await Promise.all([sign(), sign()]);
});

/** Ten frames a second. Returns what was scanned, in order. */
function watcher() {
  const inView = createInView();
  let now = 5000;
  let isCrowded = false;
  return {
    isCrowded: () => isCrowded,
    watch(texts: readonly string[], seconds: number, isBusy = false): string[] {
      return Array.from({ length: seconds * 10 }).flatMap(() => {
        const seen = inView.see(texts, (now += 100), isBusy);
        ({ isCrowded } = seen);
        return seen.scan ?? [];
      });
    },
  };
}

it("scans a ticket at once whatever is around it, and once while it stays in view", () => {
  const { watch } = watcher();
  expect(watch([ADVERT, ours, POSTER], 0.1)).toEqual([ours]);
  expect(watch([ours, ADVERT], 5)).toEqual([]);
  expect(watch([], 3)).toEqual([]);
  expect(watch([ours], 1)).toEqual([ours]);
});

it("keeps a new ticket for the first frame after the last scan has ended", () => {
  const { watch } = watcher();
  expect(watch([ours], 1, true)).toEqual([]);
  expect(watch([ours], 1)).toEqual([ours]);
});

it("scans another code once no ticket has been beside it for a second", () => {
  const { watch } = watcher();
  expect(watch([ADVERT], 0.9)).toEqual([]);
  expect(watch([ours, ADVERT], 0.1)).toEqual([ours]);
  expect(watch([ADVERT], 5), "the advert that was beside the ticket").toEqual([]);
  expect(watch([ADVERT, POSTER], 2), "a code that came later").toEqual([POSTER]);
  expect(watch([POSTER, ADVERT], 5)).toEqual([]);
  expect(watch([POSTER, second], 0.1), "a ticket after a refusal").toEqual([second]);
  expect(watch([], 3)).toEqual([]);
  expect(watch([POSTER], 2), "shown again").toEqual([POSTER]);
});

it("does not add up the looks at a code that passes by", () => {
  const { watch } = watcher();
  for (let pass = 0; pass < 10; pass++) {
    expect(watch([ADVERT], 0.3)).toEqual([]);
    expect(watch([], 1.2)).toEqual([]);
  }
});

it("asks for one of two tickets, and ignores a frame in which only one of them was read", () => {
  const { watch, isCrowded } = watcher();
  expect(watch([ours, second], 1)).toEqual([]);
  expect(isCrowded()).toBe(true);
  expect(watch([second], 0.3)).toEqual([]);
  expect(watch([ours, second], 0.1)).toEqual([]);
  expect(watch([second], 1)).toEqual([second]);
  expect(isCrowded()).toBe(false);
  expect(watch([ours, ours], 0.1), "one ticket shown twice").toEqual([ours]);
});
