import { expect, it } from "vitest";
import { stuckRefunds, type OrderCase } from "./model.ts";

it("offers to retry a failed refund only while its money has not gone back", () => {
  const paid = { payment_intent_id: "pi", amount: 100 };
  const failed = {
    id: "f",
    payment_intent_id: "pi",
    amount: 45,
    status: "failed",
    retry_of: null,
    superseded: false,
  };
  const whole = { ...failed, id: "w", amount: 100, status: "succeeded" };
  const stuck = (...refunds: object[]) => [
    ...stuckRefunds({ payments: [paid], refunds } as unknown as OrderCase, []),
  ];
  expect(stuck(failed)).toEqual(["f"]);
  expect(stuck(failed, { ...failed, id: "r", status: "pending", retry_of: "f" })).toEqual([]);
  expect(stuck(failed, whole)).toEqual([]);
  const refused = { ...whole, status: "failed" };
  expect(stuck({ ...failed, superseded: true }, refused), "its money is part of the other").toEqual(["w"]);
});
