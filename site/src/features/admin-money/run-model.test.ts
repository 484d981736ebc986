import { expect, test } from "vitest";
import { stateOf } from "./run-model.ts";

test("a run is done without a warning only when the provider refused nothing", () => {
  const done = { state: "done", retry_before: null, under_way: 0, refused: 0 } as const;
  expect(stateOf(done)).toEqual({ words: "Done", tone: "success" });
  expect(stateOf({ ...done, refused: 3 })).toEqual({ words: "Done, 3 refused", tone: "warning" });
  expect(stateOf({ ...done, refused: 3, under_way: 1 }).words).toBe("Waiting for the provider");
  expect(stateOf({ ...done, state: "stopped" }).words).toBe("Stopped");
});
