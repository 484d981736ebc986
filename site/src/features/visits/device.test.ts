import { expect, it } from "vitest";
import { browserName, deviceType } from "./device.ts";

it("distinguishes devices by width", () => {
  expect([320, 767, 768, 1023, 1024].map(deviceType)).toEqual([
    "mobile",
    "mobile",
    "tablet",
    "tablet",
    "desktop",
  ]);
});

it.each([
  ["Mozilla/5.0 (X11) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36", "Chrome"],
  ["Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36 Edg/126.0", "Edge"],
  ["Mozilla/5.0 (X11; rv:127.0) Gecko/20100101 Firefox/127.0", "Firefox"],
  ["Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15", "Safari"],
  ["Mozilla/5.0 (iPhone) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/126.0 Mobile Safari/604.1", "Chrome"],
  ["curl/8.0", "Other"],
])("recognizes the browser of %s", (agent, name) => {
  expect(browserName(agent)).toBe(name);
});
