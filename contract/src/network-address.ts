// The address that limits count: an IPv4 address, or the IPv6 network of one subscriber. The server and the functions share this;
// node:net is not used because Deno's type check does not know it.

const BYTE = String.raw`(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)`;
const IPV4 = new RegExp(String.raw`^${BYTE}(?:\.${BYTE}){3}$`);
const isAddress = (text: string): boolean =>
  IPV4.test(text) || (text.includes(":") && /^[\da-f:.]+$/.test(text) && URL.canParse(`http://[${text}]`));

/** Strips port, brackets, zone and the IPv6 notation of an IPv4 address; undefined where it is not an address. */
export function plainAddress(text: string): string | undefined {
  const bare =
    /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text;
  const address = bare.split("%", 1)[0]!.toLowerCase();
  if (!isAddress(address)) return undefined;
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1] ?? address;
}

/** An IPv4 address unchanged, or the first address of the IPv6 /64, written like SQL's request_network(). Expects a plain address. Keeps ::1, which marks requests from this machine. */
export function networkAddress(address: string): string {
  if (!address.includes(":") || address === "::1") return address;
  const [head = "", tail] = address.split("::");
  const groups = (text: string) =>
    text === "" ? [] : text.split(":").flatMap((group) => (group.includes(".") ? ["0", "0"] : [group]));
  const before = groups(head);
  const after = groups(tail ?? "");
  const gap = Array.from({ length: tail === undefined ? 0 : 8 - before.length - after.length }, () => "0");
  const network = [...before, ...gap, ...after].slice(0, 4);
  const written = network.map((group) => Number.parseInt(group, 16).toString(16)).join(":");
  return `${written.replace(/(^|:)0(:0)*$/, "")}::`;
}
