import { expect, it } from "vitest";
import { toJson } from "./wal-value.ts";

it.each<[type: string, text: string | null, json: unknown]>([
  ["text", null, null],
  ["text", "{not an array}", "{not an array}"],
  ["bool", "t", true],
  ["bool", "f", false],
  ["int8", "42", 42],
  ["numeric", "45.50", 45.5],
  ["numeric", "NaN", "NaN"],
  ["jsonb", '{"a": [1, null]}', { a: [1, null] }],
  ["timestamptz", "2025-01-02 03:04:05.678+00", "2025-01-02T03:04:05.678+00:00"],
  ["timestamptz", "2025-01-02 03:04:05+05:30", "2025-01-02T03:04:05+05:30"],
  ["timestamp", "2025-01-02 03:04:05", "2025-01-02T03:04:05"],
  ["date", "2025-01-02", "2025-01-02"],
  ["_int4", "{}", []],
  ["_int4", "{1,NULL,3}", [1, null, 3]],
  ["_int4", "[0:1]={7,8}", [7, 8]],
  [
    "_int4",
    "{{1,2},{3,4}}",
    [
      [1, 2],
      [3, 4],
    ],
  ],
  [
    "_text",
    '{plain,"with \\"quotes\\", comma","back\\\\slash","NULL",NULL}',
    ["plain", 'with "quotes", comma', "back\\slash", "NULL", null],
  ],
  ["_jsonb", '{"{\\"a\\": 1}"}', [{ a: 1 }]],
])("%s %s becomes %j", (type, text, json) => {
  expect(toJson(type, text)).toEqual(json);
});
