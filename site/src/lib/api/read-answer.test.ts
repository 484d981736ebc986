import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readAnswer, rowsWith, rowWith } from "./read-answer.ts";

interface Row {
  id: string;
  items: string[];
}
const rows = rowsWith<Row>("id", "items");
const row = rowWith<Row>("id", "items");
const good = { id: "1", items: [] };
let logged: ReturnType<typeof vi.spyOn>;

beforeEach(() => {
  vi.stubGlobal("window", { localStorage: { getItem: () => null, setItem: () => {} } });
  logged = vi.spyOn(console, "error").mockImplementation(() => {});
});
afterEach(() => {
  logged.mockRestore();
  vi.unstubAllGlobals();
});

describe("an answer", () => {
  it("in the right shape is returned, even when it is empty", () => {
    expect(readAnswer("load", { data: [good], error: null }, rows)).toEqual([good]);
    expect(readAnswer("load", { data: [], error: null }, rows)).toEqual([]);
    expect(readAnswer("load", { data: good, error: null }, row)).toEqual(good);
    expect(readAnswer("load", { data: null, error: null }, row)).toBeNull();
    expect(logged).not.toHaveBeenCalled();
  });

  it.each([null, undefined, "", {}, [null], [{ id: "1" }], [good, "row"]])(
    "that is %j is no list of rows: logged and thrown",
    (data) => {
      expect(() => readAnswer("load", { data, error: null }, rows)).toThrow("not a list");
      expect(logged).toHaveBeenCalledOnce();
    },
  );

  it.each([undefined, "", [], { id: "1" }])("that is %j is no row: logged and thrown", (data) => {
    expect(() => readAnswer("load", { data, error: null }, row)).toThrow("not such a row");
    expect(logged).toHaveBeenCalledOnce();
  });

  it("that is a failure is logged and thrown with its message", () => {
    expect(() => readAnswer("load", { data: [], error: { message: "no such luck" } }, rows)).toThrow(
      "no such luck",
    );
    expect(logged).toHaveBeenCalledOnce();
  });
});
