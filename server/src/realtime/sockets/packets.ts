// WebSocket frames (RFC 6455) as bytes to send to any number of sockets: `ws` would build each frame again for each of them.

/** Bytes that are sent together, give or take a frame. */
export const PACKET = 64 * 1024;

/** Opcodes, with the bit that marks the message as complete. */
const TEXT = 0x81;
const BINARY = 0x82;

/** Messages in sequence, of text or of bytes. */
export function inPackets(messages: readonly (string | Buffer)[]): Buffer[] {
  const packets: Buffer[] = [];
  let parts: Buffer[] = [];
  let length = 0;
  const close = () => {
    if (length > 0) packets.push(Buffer.concat(parts, length));
    [parts, length] = [[], 0];
  };
  for (const message of messages) {
    const isText = typeof message === "string";
    const payload = isText ? Buffer.from(message) : message;
    const head = headOf(isText ? TEXT : BINARY, payload.length);
    parts.push(head, payload);
    length += head.length + payload.length;
    if (length >= PACKET) close();
  }
  close();
  return packets;
}

function headOf(opcode: number, length: number): Buffer {
  if (length < 126) return Buffer.from([opcode, length]);
  if (length < 65_536) return Buffer.from([opcode, 126, length >> 8, length & 0xff]);
  const head = Buffer.from([opcode, 127, 0, 0, 0, 0, 0, 0, 0, 0]);
  head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}
