// Frames of a WebSocket (RFC 6455) as bytes that any number of sockets are sent: `ws` would write each frame anew for each of them.

/** Bytes that leave together, a frame more or less. */
export const PACKET = 64 * 1024;

const TEXT = 0x81; // a whole message

/** Messages of text, one after the other. */
export function inPackets(messages: readonly string[]): Buffer[] {
  const packets: Buffer[] = [];
  let parts: Buffer[] = [];
  let length = 0;
  const close = () => {
    if (length > 0) packets.push(Buffer.concat(parts, length));
    [parts, length] = [[], 0];
  };
  for (const message of messages) {
    const payload = Buffer.from(message);
    const head = headOf(payload.length);
    parts.push(head, payload);
    length += head.length + payload.length;
    if (length >= PACKET) close();
  }
  close();
  return packets;
}

function headOf(length: number): Buffer {
  if (length < 126) return Buffer.from([TEXT, length]);
  if (length < 65_536) return Buffer.from([TEXT, 126, length >> 8, length & 0xff]);
  const head = Buffer.from([TEXT, 127, 0, 0, 0, 0, 0, 0, 0, 0]);
  head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}
