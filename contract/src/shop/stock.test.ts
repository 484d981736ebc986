import { expect, it } from "vitest";
import { stockLabel } from "./stock.ts";

it("labels stock by the ratio of available to total", () => {
  const labels = [0, 10, 11, 25, 26, 100].map((available) => stockLabel(available, 100));
  expect(labels).toEqual(["Critical", "Critical", "Low", "Low", "Good", "Good"]);
});
