// A request has one address, whatever its headers claim and however many proxies it passed through.
import { describe, expect, it, vi } from "vitest";
import { createClientAddress, createPeerAddress } from "./client-address.ts";

const from = (peer: string, headers: Record<string, string> = {}) => ({
  headers,
  socket: { remoteAddress: peer },
});
const chain = (entries: string) => ({ "x-forwarded-for": entries });

describe("without a trusted proxy", () => {
  const addressOf = createClientAddress([]);

  it("is the connection's own, whatever a header says", () => {
    expect(addressOf(from("203.0.113.7", chain("6.6.6.6")))).toBe("203.0.113.7");
    expect(addressOf(from("127.0.0.1", { forwarded: "for=6.6.6.6" }))).toBe("127.0.0.1");
    expect(addressOf(from("::ffff:203.0.113.7"))).toBe("203.0.113.7");
  });

  it("is the first address of an IPv6 subscriber's network", () => {
    for (const host of ["2001:db8:0:1::1", "2001:DB8:0:1:ffff:ffff:ffff:ffff", "2001:db8:0:1::5%eth0"]) {
      expect(addressOf(from(host))).toBe("2001:db8:0:1::");
    }
    expect(addressOf(from("2001:db8::1"))).toBe("2001:db8::");
    expect(addressOf(from("64:ff9b::192.0.2.1"))).toBe("64:ff9b::");
  });

  it("reports the proxy that was not trusted", () => {
    const onStranger = vi.fn<(address: string) => void>();
    createClientAddress([], undefined, onStranger)(from("127.0.0.1", chain("203.0.113.7")));
    expect(onStranger).toHaveBeenCalledWith("127.0.0.1");
  });
});

describe("behind trusted proxies", () => {
  const trusted = ["127.0.0.1", "10.0.0.0/8", "2001:db8:ffff::/48"];
  const addressOf = createClientAddress(trusted);
  const addressBy = createClientAddress(trusted, "forwarded");

  it.each([
    ["what the proxy saw", "203.0.113.7", "203.0.113.7"],
    ["with a port", "203.0.113.7:4711", "203.0.113.7"],
    ["an IPv6 network", "[2001:db8:0:1::9]:4711", "2001:db8:0:1::"],
    ["not what the client wrote", "6.6.6.6, 203.0.113.7", "203.0.113.7"],
    ["through several proxies", "6.6.6.6, 203.0.113.7, 10.1.2.3, 2001:db8:ffff::2", "203.0.113.7"],
    ["not beyond what is no address", "203.0.113.7, unknown, 10.1.2.3", "10.1.2.3"],
    ["a proxy's own request", "10.1.2.3", "10.1.2.3"],
    ["nonsense", "x, ,", "127.0.0.1"],
  ])("is %s", (_, entries, address) => {
    expect(addressOf(from("127.0.0.1", chain(entries)))).toBe(address);
  });

  it.each([
    ["for=203.0.113.7;proto=https;by=10.0.0.1", "203.0.113.7"],
    ['for=6.6.6.6, For="[2001:db8:0:1::9]:4711";host="a,b"', "2001:db8:0:1::"],
    ["proto=https", "127.0.0.1"],
    ["for=_hidden", "127.0.0.1"],
    ['for=6.6.6.6;a=", for="[2001:db8:0:1::9]"', "2001:db8:0:1::"],
    ['for=6.6.6.6, for=203.0.113.7;host="a\\",b"', "203.0.113.7"],
    ['for=6.6.6.6, for=203.0.113.7;host="a\\\\", for=10.1.2.3', "203.0.113.7"],
  ])("reads Forwarded: %s", (header, address) => {
    expect(addressBy(from("127.0.0.1", { forwarded: header }))).toBe(address);
  });

  it("is read from the header that the proxies write, and ignores the visitor's other one", () => {
    const headers = { ...chain("203.0.113.7"), forwarded: "for=6.6.6.6" };
    expect(addressOf(from("127.0.0.1", headers))).toBe("203.0.113.7");
    expect(addressBy(from("127.0.0.1", headers))).toBe("6.6.6.6");
    expect(addressOf(from("127.0.0.1", { forwarded: "for=6.6.6.6" }))).toBe("127.0.0.1");
    expect(addressBy(from("127.0.0.1", chain("6.6.6.6")))).toBe("127.0.0.1");
  });

  it("ignores a stranger's header", () => {
    expect(addressOf(from("203.0.113.9", chain("203.0.113.7")))).toBe("203.0.113.9");
  });

  it("is the proxy's own when it wrote nothing into its header", () => {
    for (const nothing of ["", " ", ","]) {
      const headers = { ...chain(nothing), forwarded: nothing };
      for (const read of [addressOf, addressBy]) expect(read(from("127.0.0.1", headers))).toBe("127.0.0.1");
    }
  });
});

describe("the address whose share a connection takes", () => {
  it.each([
    ["its own", [], "::ffff:203.0.113.7", "203.0.113.7"],
    ["its network", [], "2001:db8:0:1::1", "2001:db8:0:1::"],
    ["nobody's for this machine", [], "127.0.0.1", undefined],
    ["this machine's where a proxy is named", ["10.0.0.0/8"], "::1", "::1"],
    ["nobody's for a trusted proxy", ["10.0.0.0/8"], "10.1.2.3", undefined],
  ])("is %s", (_whose, trusted, remoteAddress, expected) => {
    expect(createPeerAddress(trusted)({ remoteAddress })).toBe(expected);
  });
});

it("reads a header of 16 KB in no time", () => {
  const trusted = ["127.0.0.1"];
  for (const repeated of [":", "0:", '\\"', '"', ",", ";", " ", "\\"]) {
    const header = `a${repeated.repeat(16_000 / repeated.length)}!`;
    const begun = performance.now();
    createClientAddress(trusted)(from("127.0.0.1", chain(header)));
    createClientAddress(trusted, "forwarded")(from("127.0.0.1", { forwarded: header }));
    expect(performance.now() - begun, repeated).toBeLessThan(100);
  }
});
