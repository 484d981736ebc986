import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { awaitDecision, decidePayment } from "./decide-payment.ts";
import type { PaymentOutcome, PaymentState } from "./payment/payment-provider.ts";

type Answer = PaymentState["status"] | "declined" | "lost";

/** The provider's answers, one after the other; the last one stays. "lost" is no answer. */
function provider(...answers: Answer[]) {
  return vi.fn(async (): Promise<PaymentState> => {
    const status = answers.length > 1 ? answers.shift()! : answers[0]!;
    if (status === "lost") throw new Error("offline");
    return status === "declined" ? { status: "open", failure: "Too late." } : { status };
  });
}
const confirmed = (outcome: PaymentOutcome) => async () => outcome;
const lost = () => Promise.reject(new TypeError("Failed to fetch"));

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("navigator", { onLine: true });
  vi.spyOn(console, "error").mockImplementation(() => {});
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe("a payment", () => {
  it.each<[string, PaymentOutcome, Answer[], unknown]>([
    ["approved", { status: "succeeded" }, [], { kind: "approved" }],
    [
      "approved after a while",
      { status: "processing" },
      ["processing", "lost", "succeeded"],
      { kind: "approved" },
    ],
    [
      "refused after a while",
      { status: "processing" },
      ["processing", "declined"],
      { kind: "failed", reason: "Too late." },
    ],
    ["refused after a while without a reason", { status: "processing" }, ["open"], { kind: "failed" }],
    ["declined", { status: "failed", message: "No." }, ["open"], { kind: "failed", reason: "No." }],
    [
      "declined, and nobody answers",
      { status: "failed", message: "No." },
      ["lost"],
      { kind: "failed", reason: "No." },
    ],
    ["refused since it was paid before", { status: "failed" }, ["succeeded"], { kind: "approved" }],
    ["refused since its order is canceled", { status: "failed" }, ["canceled"], { kind: "canceled" }],
    ["of an order that ended", { status: "canceled" }, [], { kind: "canceled" }],
  ])("%s", async (_what, outcome, answers, decision) => {
    const decided = decidePayment(provider(...answers), confirmed(outcome), false);
    await vi.runAllTimersAsync();
    expect(await decided).toEqual(decision);
  });

  it("whose answer was lost is found paid", async () => {
    expect(await decidePayment(provider("succeeded"), lost, false)).toEqual({ kind: "approved" });
  });

  it("whose answer was lost for good is asked about before it is confirmed again", async () => {
    vi.stubGlobal("navigator", { onLine: false });
    const failed = await decidePayment(provider("lost"), lost, false);
    expect(failed).toMatchObject({ kind: "failed", isUncertain: true });
    expect(failed).toHaveProperty("reason", expect.stringContaining("you won't be charged twice"));
    const confirm = vi.fn(confirmed({ status: "succeeded" }));
    expect(await decidePayment(provider("lost"), confirm, true)).toMatchObject({ isUncertain: true });
    expect(await decidePayment(provider("succeeded"), confirm, true)).toEqual({ kind: "approved" });
    expect(confirm).not.toHaveBeenCalled();
    await decidePayment(provider("open"), confirm, true);
    expect(confirm).toHaveBeenCalledOnce();
  });

  it("is waited for a minute and a half", async () => {
    const decided = awaitDecision(provider("processing"));
    await vi.advanceTimersByTimeAsync(91_500);
    expect(await decided).toEqual({ kind: "undecided" });
  });
});
