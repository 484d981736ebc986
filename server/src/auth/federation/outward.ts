// Requests to identity providers. Their answers are not trusted: each has ten seconds and a megabyte, and no redirect is
// followed. An address that came through the API must be public and encrypted, so that nobody reaches this machine's own
// network through it. One from the server's own settings may be anything.
import { lookup as lookUp } from "node:dns";
import { request as plainRequest } from "node:http";
import { request as secureRequest } from "node:https";
import { BlockList, isIP, type LookupFunction } from "node:net";

/** The part of fetch that openid-client and jose use. */
export type OutwardFetch = (
  url: string | URL,
  options?: {
    readonly method?: string;
    readonly headers?: Headers | Readonly<Record<string, string>>;
    readonly body?: unknown;
    readonly signal?: AbortSignal | undefined;
  },
) => Promise<Response>;

const PATIENCE_MS = 10_000;
const MOST_BYTES = 1_048_576;

// Two lists, because a single one would match every IPv4 address against ::ffff:0:0/96.
const NOT_PUBLIC = { ipv4: new BlockList(), ipv6: new BlockList() };
for (const [network, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 3],
] as const)
  NOT_PUBLIC.ipv4.addSubnet(network, bits, "ipv4");
for (const [network, bits] of [
  ["::", 127],
  ["::ffff:0:0", 96],
  ["64:ff9b::", 95],
  ["2002::", 16],
  ["fc00::", 7],
  ["fe80::", 10],
  ["ff00::", 8],
] as const)
  NOT_PUBLIC.ipv6.addSubnet(network, bits, "ipv6");

/** Whether `address` can be a host on the public internet. An IPv4 address inside an IPv6 one never is. */
export function isPublic(address: string): boolean {
  if (isIP(address) === 0) return false;
  const family = isIP(address) === 4 ? "ipv4" : "ipv6";
  return !NOT_PUBLIC[family].check(address, family);
}

export class NotReachable extends Error {}

/** Resolves a name and refuses it if any of its addresses is not public. The connection then uses the checked addresses. */
const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookUp(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, []);
    const hidden = addresses.find(({ address }) => !isPublic(address));
    if (hidden || addresses.length === 0) {
      return callback(new NotReachable(`${hostname} is not a public address`), []);
    }
    if (options.all) callback(null, addresses);
    else callback(null, addresses[0]!.address, addresses[0]!.family);
  });
};

/** For addresses from the server's own settings. */
export const reachAnything: OutwardFetch = (url, options) => send(new URL(url), options, undefined);

/** Whether an address that came through the API is acceptable; its name is resolved only when it is requested. */
export function isReachable({ protocol, hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, "");
  return protocol === "https:" && (isIP(host) === 0 || isPublic(host));
}

/** For addresses that came through the API. */
export const reachPublic: OutwardFetch = async (url, options) => {
  const target = new URL(url);
  if (!isReachable(target)) throw new NotReachable(`${target.origin} is not a public https address`);
  return send(target, options, publicLookup);
};

function send(
  url: URL,
  options: Parameters<OutwardFetch>[1] = {},
  lookup: LookupFunction | undefined,
): Promise<Response> {
  const { method = "GET", body, signal } = options;
  const request = url.protocol === "https:" ? secureRequest : plainRequest;
  const patience = AbortSignal.timeout(PATIENCE_MS);
  return new Promise((resolve, reject) => {
    const call = request(url, {
      method,
      headers: Object.fromEntries(new Headers(options.headers)),
      signal: signal ? AbortSignal.any([signal, patience]) : patience,
      ...(lookup && { lookup }),
    });
    call.on("error", reject);
    call.on("response", (answer) => {
      const chunks: Buffer[] = [];
      let size = 0;
      answer.on("error", reject);
      answer.on("data", (chunk: Buffer) => {
        size += chunk.length;
        chunks.push(chunk);
        if (size > MOST_BYTES) answer.destroy(new NotReachable(`${url.host} answers too much`));
      });
      answer.on("end", () => {
        const status = answer.statusCode ?? 502;
        const bodiless = status === 204 || status === 304;
        const headers = new Headers();
        for (const [name, value] of Object.entries(answer.headers))
          for (const one of [value ?? []].flat()) headers.append(name, one);
        resolve(new Response(bodiless ? null : Buffer.concat(chunks), { status, headers }));
      });
    });
    call.end(body === undefined || body === null ? undefined : textOf(body));
  });
}

function textOf(body: unknown): string {
  if (typeof body === "string") return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new TypeError("a request to a provider has a form or text");
}
