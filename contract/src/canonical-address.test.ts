import { expect, it } from "vitest";
import { canonicalAddress } from "./canonical-address.ts";

const canonical = "https://festival.example";
const alternates = "www.festival.example, old.example:8080";
const from = (address: string) => canonicalAddress(new URL(address), canonical, alternates)?.href;

it("redirects an alternate host to the same page of the canonical one", () => {
  expect(from("https://www.festival.example/tickets?a=1#cart")).toBe(
    "https://festival.example/tickets?a=1#cart",
  );
  expect(from("http://old.example:8080/")).toBe("https://festival.example/");
});

it("leaves the canonical host, other hosts and the back office alone", () => {
  expect(from("https://festival.example/tickets")).toBeUndefined();
  expect(from("http://old.example/")).toBeUndefined();
  expect(from("https://www.festival.example/admin")).toBeUndefined();
  expect(from("https://www.festival.example/admin/orders")).toBeUndefined();
  expect(from("https://www.festival.example/administration")).toBe("https://festival.example/administration");
});

it("never redirects without a canonical address, or to itself", () => {
  expect(canonicalAddress(new URL("https://a.example/"), "", "a.example")).toBeUndefined();
  expect(canonicalAddress(new URL("https://a.example/"), "https://a.example", "a.example")).toBeUndefined();
});

it("stays on the canonical host whatever the path contains", () => {
  expect(from("https://www.festival.example//evil.example/x")).toBe(
    "https://festival.example//evil.example/x",
  );
});
