// How an entry code is drawn: its modules, for papers, and a PNG of them, for screens and mails.
import QRCode from "qrcode";

/** Empty modules that a reader needs around a code (ISO/IEC 18004). */
export const QUIET = 4;
/** Pixels of a module, so one row of a module is one byte of the picture. */
const SCALE = 8;

/**
 * In one mode and with one mask: the search for the shortest mix of modes and for the best of eight masks takes ten times as long as
 * the rest. A token is letters and digits, an old one (decision 079) bytes, and most of its bits are random, so no mask reads better
 * than another (decision 006).
 */
export function modulesOf(token: string): QRCode.BitMatrix {
  const segment: QRCode.QRCodeSegment = /^[0-9A-Z]+$/.test(token)
    ? { mode: "alphanumeric", data: token }
    : { mode: "byte", data: new TextEncoder().encode(token) };
  return QRCode.create([segment], { errorCorrectionLevel: "M", maskPattern: 4 }).modules;
}

/** A PNG with one bit a pixel, which takes 0.2 ms of processor time. qrcode's own, with four bytes a pixel, takes 5. */
export function drawQrCode(token: string): Uint8Array<ArrayBuffer> {
  const { size, data } = modulesOf(token);
  const side = size + 2 * QUIET;
  // Each row of pixels follows its filter: 0 for the bits themselves, of which 1 is white, and 2 for how they differ from the row
  // above, which seven of eight do not.
  const width = 1 + side;
  const rows = new Uint8Array(width * side * SCALE);
  for (let y = 0; y < side; y++) {
    const at = y * SCALE * width;
    rows.fill(255, at + 1, at + width);
    for (let next = 1; next < SCALE; next++) rows[at + next * width] = 2;
  }
  for (let y = 0; y < size; y++) {
    const at = (y + QUIET) * SCALE * width + 1 + QUIET;
    for (let x = 0; x < size; x++) if (data[y * size + x]) rows[at + x] = 0;
  }
  const length = bytesOf(side * SCALE);
  return joined(
    Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
    chunk("IHDR", joined(length, length, Uint8Array.of(1, 0, 0, 0, 0))), // one bit a pixel, in gray
    chunk("IDAT", deflateSync(rows, { level: 1 })),
    chunk("IEND", new Uint8Array()),
  );
}

function chunk(name: string, content: Uint8Array): Uint8Array {
  const named = joined(new TextEncoder().encode(name), content);
  return joined(bytesOf(content.length), named, bytesOf(crc32(named)));
}

function bytesOf(number: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, number);
  return bytes;
}

function joined(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Hidden from Deno's check as in file.ts. CompressionStream, which every host has, takes as long as all the rest. */
const { crc32, deflateSync } = (await import(["node", "zlib"].join(":"))) as {
  crc32: (bytes: Uint8Array) => number;
  deflateSync: (bytes: Uint8Array, options: { level: number }) => Uint8Array;
};
