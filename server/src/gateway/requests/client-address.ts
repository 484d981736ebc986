// Decides once, for limits, SQL and the audit log, which address a request comes from. A proxy is trusted only if the
// operator named it. Whatever a client writes into these headers is further left and is never reached.
import type { IncomingHttpHeaders } from "node:http";
import { BlockList, isIP } from "node:net";
import { networkAddress, plainAddress } from "contract/network-address";

interface Incoming {
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** An IPv4 address, or the first address of an IPv6 /64, which is what one subscriber has. */
export type ClientAddress = (request: Incoming) => string;

/** The header in which a proxy names its client. */
export type ProxyHeader = "x-forwarded-for" | "forwarded";

/**
 * `trusted`: addresses and CIDR blocks. `written`: the header these proxies write; the other one is passed on from the
 * visitor and is not read. `onStranger` is called with a proxy that forwards but is not trusted.
 */
export function createClientAddress(
  trusted: readonly string[],
  written: ProxyHeader = "x-forwarded-for",
  onStranger: (address: string) => void = () => {},
): ClientAddress {
  const isTrusted = among(trusted);

  return ({ headers, socket }) => {
    const peer = plainAddress(socket.remoteAddress ?? "");
    if (peer === undefined) return "";
    if (!isTrusted(peer)) {
      if (headers["x-forwarded-for"] !== undefined || headers.forwarded !== undefined) onStranger(peer);
      return networkAddress(peer);
    }
    const header = String(headers[written] ?? "");
    return networkAddress(
      nearest(peer, written === "forwarded" ? forwarded(header) : listed(header), isTrusted),
    );
  };
}

/**
 * The address that a connection's socket counts for; undefined where it serves many clients: a trusted proxy, or this machine
 * while no proxy is configured.
 */
export function createPeerAddress(trusted: readonly string[]) {
  const isTrusted = among(trusted);
  return (socket: Incoming["socket"]): string | undefined => {
    const peer = plainAddress(socket.remoteAddress ?? "");
    if (peer === undefined || isTrusted(peer)) return undefined;
    return trusted.length === 0 && (peer === "::1" || peer.startsWith("127."))
      ? undefined
      : networkAddress(peer);
  };
}

/** The right-most address that is not a trusted proxy. Everything left of it is that client's claim. */
function nearest(peer: string, hops: readonly string[], isTrusted: (address: string) => boolean): string {
  let known = peer;
  for (const hop of hops.toReversed()) {
    const address = plainAddress(hop);
    if (address === undefined) return known;
    known = address;
    if (!isTrusted(address)) return known;
  }
  return known;
}

const listed = (header: string): string[] => header.split(",").map((hop) => hop.trim());

/** `for=` in each element (RFC 7239). */
const forwarded = (header: string): string[] =>
  elements(header).map((element) => /(?:^|;)\s*for=("?)([^";]*)\1/i.exec(element)?.[2]?.trim() ?? "");

/** Split at commas outside of quotes, from the right: a quote that a client left open would hide what our proxy appended. */
function elements(header: string): string[] {
  const found: string[] = [];
  let [end, isQuoted] = [header.length, false];
  for (let at = end - 1; at >= 0; at--) {
    if (header[at] === '"' && !isEscaped(header, at)) isQuoted = !isQuoted;
    if (header[at] !== "," || isQuoted) continue;
    found.push(header.slice(at + 1, end));
    end = at;
  }
  return [...found, header.slice(0, end)].toReversed();
}

function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text[before - 1] === "\\") before--;
  return (at - before) % 2 === 1;
}

function among(entries: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = "", prefix] = entry.split("/");
    const family = isIP(address) === 4 ? "ipv4" : "ipv6";
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return (address) => entries.length > 0 && list.check(address, isIP(address) === 4 ? "ipv4" : "ipv6");
}
