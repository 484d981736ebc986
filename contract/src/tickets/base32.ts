// Bytes as letters and digits that QR codes pack tightly and any keyboard types, whatever layout it and the device are set to: without
// M, and with A for Q and Z for W and Y, because these are what German and French keyboards exchange (decision 079).

const ALPHABET = "0123456789ABCDEFGHIJKLNOPRSTUVXZ";
const BITS = 5;

/** Five bits a letter, the last one filled up with zeros. */
export function toBase32(bytes: Uint8Array): string {
  let text = "";
  let buffer = 0;
  let bits = 0;
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte;
    for (bits += 8; bits >= BITS; bits -= BITS) text += ALPHABET[(buffer >> (bits - BITS)) & 31]!;
    buffer &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + ALPHABET[(buffer << (BITS - bits)) & 31]!;
}

/** In capitals or not. Strict otherwise: null for what no bytes are written as. */
export function fromBase32(text: string): Uint8Array<ArrayBuffer> | null {
  const letters = text.toUpperCase().replaceAll("Q", "A").replaceAll(/[WY]/g, "Z");
  const bytes = new Uint8Array(Math.floor((letters.length * BITS) / 8));
  let buffer = 0;
  let bits = 0;
  let at = 0;
  for (const letter of letters) {
    const value = ALPHABET.indexOf(letter);
    if (value === -1) return null;
    buffer = (buffer << BITS) | value;
    bits += BITS;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at++] = buffer >> bits;
    buffer &= (1 << bits) - 1;
  }
  return bits < BITS && buffer === 0 ? bytes : null;
}
