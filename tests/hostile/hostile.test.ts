// A small R7; `npm run hostile` sends a million requests.
import { expect, it } from "vitest";
import { preparedFolder } from "../support/server/prepared-data.ts";
import { fire } from "./fire.ts";

it("malformed and hostile requests at every endpoint are answered as the caller's fault, and change nothing", async () => {
  const { faults, answers } = await fire({ requests: 2_000, seed: 1, dataDir: preparedFolder() });
  expect(faults).toEqual([]);
  expect(answers["200"]).toBeGreaterThan(0);
});
