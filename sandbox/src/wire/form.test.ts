import { expect, test } from "vitest";
import { canonical, parseForm } from "./form.ts";

const plain = (text: string) => JSON.parse(JSON.stringify(parseForm(text)));

test("reads nested names, lists with and without indexes, and encoded text", () => {
  expect(
    plain("amount=50&metadata[order%20id]=a%26b&expand[]=x&expand[]=y&items[0][price]=1&items[1][price]=2"),
  ).toEqual({
    amount: "50",
    metadata: { "order id": "a&b" },
    expand: { 0: "x", 1: "y" },
    items: { 0: { price: "1" }, 1: { price: "2" } },
  });
});

test("keeps a malformed or too deeply nested name as it is", () => {
  expect(plain("a[b=1&]c[=2")).toEqual({ "a[b": "1", "]c[": "2" });
  expect(plain("a[b][c][d][e][f][g]=1")).toEqual({ "a[b][c][d][e][f][g]": "1" });
});

test("no parameter name can reach an object's prototype", () => {
  parseForm("__proto__[polluted]=1&constructor[prototype][polluted]=1");
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

test("an idempotency key ignores the order of parameters but not their values", () => {
  expect(canonical(parseForm("a=1&b[c]=2&b[d]=3"))).toBe(canonical(parseForm("b[d]=3&b[c]=2&a=1")));
  expect(canonical(parseForm("a=1"))).not.toBe(canonical(parseForm("a=2")));
});
