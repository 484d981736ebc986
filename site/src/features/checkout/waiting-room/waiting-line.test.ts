import { beforeEach, describe, expect, it, vi } from "vitest";
import type { FunctionErrorCode } from "contract/errors";
import { callFunction, FunctionError } from "#lib/api/functions.ts";
import { openPayment } from "../open-payment.ts";
import { emptyCart } from "../cart/record.ts";
import { visitorPlace, visitWaitingRoom } from "./waiting-line.ts";

vi.mock("#lib/api/functions.ts", async (original) => ({
  ...(await original<typeof import("#lib/api/functions.ts")>()),
  callFunction: vi.fn<(name: string, body: unknown) => Promise<unknown>>(),
}));

const server = vi.mocked(callFunction);
const bodies = () => server.mock.calls.map(([, body]) => body as { visitor?: string; place?: string });
const refusal = (code: FunctionErrorCode) => new FunctionError({ code, message: code });
const waiting = {
  open: true,
  admitted: false,
  place: "a signed place",
  position: 3,
  ahead: 2,
  estimatedSeconds: 5,
  pollAfterSeconds: 2,
};
const request = {
  items: [],
  attendees: [],
  buyerInfo: { name: "Ana", email: "a@example.com", phone: "7135550127" },
  totalAmount: 45,
};
const opened = { clientSecret: "pi_1_secret_x", orderId: "o1", holdExpiresAt: "", orderStatus: "pending" };
const provider = { retrieve: vi.fn() };
let users = 0;
const open = () =>
  openPayment(
    `waiting buyer ${++users}`,
    { current: () => emptyCart, change: () => {} },
    { key: `key ${users}`, request },
    provider,
  );

beforeEach(() => {
  const entries = new Map<string, string>();
  vi.stubGlobal("window", {
    localStorage: {
      getItem: (key: string) => entries.get(key) ?? null,
      setItem: (key: string, value: string) => entries.set(key, value),
      removeItem: (key: string) => entries.delete(key),
    },
  });
  server.mockReset().mockResolvedValue(waiting);
});

describe("a visitor's place", () => {
  it("is kept with its secret and sent with every visit", async () => {
    await visitWaitingRoom(false);
    await visitWaitingRoom(false);
    const [first, second] = bodies();
    expect(first!.place).toBeUndefined();
    expect(second).toEqual({ visitor: first!.visitor, place: "a signed place" });
  });

  it("is requested again under the same secret when the response was lost", async () => {
    server.mockRejectedValueOnce(new FunctionError());
    await visitWaitingRoom(false).catch(() => {});
    await visitWaitingRoom(false);
    const [first, second] = bodies();
    expect(second!.visitor).toBe(first!.visitor);
  });

  it("is sent when the visitor signs in, and belongs to the account from then on", async () => {
    await visitWaitingRoom(false);
    const kept = visitorPlace();
    await visitWaitingRoom(true);
    await visitWaitingRoom(true);
    expect(bodies().slice(1)).toEqual([kept, {}]);
  });

  it("is not kept while no one waits", async () => {
    server.mockResolvedValue({ ...waiting, open: false, admitted: true, place: null });
    await visitWaitingRoom(false);
    expect(visitorPlace()).toEqual({});
  });
});

describe("an order", () => {
  it("sends the visitor's place until it is spent", async () => {
    await visitWaitingRoom(false);
    server.mockResolvedValue(opened);
    await open();
    await open();
    const [, first, second] = bodies();
    expect(first).toMatchObject({ place: "a signed place" });
    expect(second!.place).toBeUndefined();
  });

  it("drops a place that is gone, and keeps it when the error is about something else", async () => {
    await visitWaitingRoom(false);
    server.mockRejectedValueOnce(refusal("insufficient_stock"));
    await expect(open()).rejects.toThrow("insufficient_stock");
    server.mockRejectedValueOnce(refusal("place_gone")).mockResolvedValue(opened);
    expect(await open()).toMatchObject({ type: "placed" });
    expect(bodies().map(({ place }) => place)).toEqual([
      undefined,
      "a signed place",
      "a signed place",
      undefined,
    ]);
    expect(visitorPlace()).toEqual({});
  });
});
