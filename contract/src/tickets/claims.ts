// What an entry code says, in either form.

export interface ReadClaims {
  readonly ticketId: string;
  /** The last eight digits of the type's id: enough to find the type in the gate's list. */
  readonly typeMark: string;
  readonly issueNumber: number;
  /** The festival's mark; in an old code, its own code. */
  readonly event: string;
}

/** A parsed token. Do not trust its claims until the signature is verified. */
export interface ReadTicketToken {
  readonly claims: ReadClaims;
  readonly payload: Uint8Array<ArrayBuffer>;
  readonly signature: Uint8Array<ArrayBuffer>;
}

export function uuidBytes(uuid: string): Uint8Array {
  const digits = uuid.replaceAll("-", "");
  if (!/^[0-9a-f]{32}$/i.test(digits)) throw new TypeError("not a UUID");
  return Uint8Array.from({ length: 16 }, (_, index) =>
    Number.parseInt(digits.slice(index * 2, index * 2 + 2), 16),
  );
}

export const uuidText = (bytes: Uint8Array): string =>
  hexOf(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");

export const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
