import { expect, it } from "vitest";
import { internationalNumber } from "./phone-number.ts";

it.each([
  ["713 555 0142", "+17135550142"],
  ["(713) 555-0142", "+17135550142"],
  ["1.713.555.0142", "+17135550142"],
  ["+1 (713) 555‑0142", "+17135550142"],
  ["+44 20 7946 0958", "+442079460958"],
])("reads %s as %s", (entered, number) => expect(internationalNumber(entered)).toBe(number));

it.each(["", "555 0142", "020 7946 0958", "+0 713 555 0142", "+1234567890123456", "my phone"])(
  "does not accept %j as a number",
  (entered) => expect(internationalNumber(entered)).toBeUndefined(),
);
