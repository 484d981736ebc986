import { expect, it, vi } from "vitest";
import { holdToasts, toast } from "./toast.ts";

it("withdraws a message, whether it is queued or shown", () => {
  const takeBack = vi.fn();
  const show = vi.fn((_message: object) => takeBack);
  toast.error("Payment Failed")();
  const waiting = toast.show("Waiting");
  const stop = holdToasts(show);
  expect(show.mock.calls).toEqual([[{ tone: "default", title: "Waiting" }]]);
  waiting();
  toast.error("Shown")();
  expect(takeBack).toHaveBeenCalledTimes(2);
  stop();
});

it("withdraws a failure when a success follows, and keeps the success", () => {
  const withdrawn: string[] = [];
  const stop = holdToasts(
    ({ title }) =>
      () =>
        void withdrawn.push(title),
  );
  toast.error("Payment Failed");
  toast.show("Cart Updated");
  expect(withdrawn).toEqual([]);
  toast.success("Payment Successful!");
  toast.success("Order Confirmed!");
  expect(withdrawn).toEqual(["Payment Failed"]);
  stop();
});
