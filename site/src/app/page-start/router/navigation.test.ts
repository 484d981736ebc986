import { expect, test } from "vitest";
import { createPath, resolve } from "./navigation.ts";

const here = { pathname: "/admin/orders", search: "?page=2", hash: "#top" };

test.each([
  ["/faq", "/faq"],
  ["/faq?open=1#bring", "/faq?open=1#bring"],
  ["?page=3", "/admin/orders?page=3"],
  ["?", "/admin/orders"],
  ["#end", "/admin/orders#end"],
  [{ search: "page=3" }, "/admin/orders?page=3"],
  [{ search: "" }, "/admin/orders"],
  // Never another site.
  ["//evil.example/x", "/evil.example/x"],
  [{ pathname: "//evil.example" }, "/evil.example"],
])("%j leads to %s", (to, path) => {
  expect(createPath(resolve(to, here))).toBe(path);
});
