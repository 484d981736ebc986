// Phoenix channel frames in the two serializations realtime-js speaks: 1.0.0 (JSON objects) and 2.0.0 (JSON arrays, and
// binary frames for broadcasts). Pure: bytes and text in, messages out. Layouts: realtime-js, lib/serializer.ts.

import { isTooDeep } from "../../platform/http/json-depth.ts";
import { isStorableJson } from "../../platform/http/storable.ts";

export type Version = "1.0.0" | "2.0.0";

export interface Message {
  readonly joinRef: string | null;
  readonly ref: string | null;
  readonly topic: string;
  readonly event: string;
  readonly payload: unknown;
}

/** A broadcast as a socket sent it: JSON (`json` holds its text) or raw bytes. */
export type BroadcastBody = { readonly json: string } | { readonly bytes: Uint8Array };

/** What a receiver gets with a stored message. */
interface BroadcastMeta {
  readonly id: string;
  readonly replayed?: true;
}

export interface Broadcast {
  readonly event: string;
  readonly body: BroadcastBody;
  readonly meta?: BroadcastMeta;
}

export interface BroadcastPush {
  readonly joinRef: string | null;
  readonly ref: string | null;
  readonly topic: string;
  readonly broadcast: Broadcast;
  /** Whether the sender wants it stored as well. */
  readonly persist: boolean;
}

/** The peer sent something that is not a frame; the connection cannot continue. */
export class ProtocolError extends Error {}

const BROADCAST_PUSH = 3;
const BROADCAST = 4;
const JSON_ENCODING = 1;
const LONGEST_REF = 64;

export function decodeText(version: Version, text: string): Message {
  let frame: unknown;
  if (isTooDeep(text)) throw new ProtocolError("Frame nests too deeply");
  if (!isStorableJson(text)) throw new ProtocolError("Frame holds a NUL or half a character");
  try {
    frame = JSON.parse(text);
  } catch {
    throw new ProtocolError("Frame is not JSON");
  }
  if (version === "2.0.0") {
    if (!Array.isArray(frame) || frame.length !== 5) throw new ProtocolError("Frame is not an array of five");
    const [joinRef, ref, topic, event, payload] = frame;
    return toMessage(joinRef, ref, topic, event, payload);
  }
  if (typeof frame !== "object" || frame === null) throw new ProtocolError("Frame is not an object");
  const { join_ref, ref, topic, event, payload } = frame as Record<string, unknown>;
  return toMessage(join_ref, ref, topic, event, payload);
}

export function encodeText(version: Version, message: Message): string {
  const { joinRef, ref, topic, event, payload } = message;
  return version === "2.0.0"
    ? JSON.stringify([joinRef, ref, topic, event, payload])
    : JSON.stringify({ join_ref: joinRef, ref, topic, event, payload });
}

/** `data` is JSON already. */
export function encodeChange(
  version: Version,
  { joinRef, topic }: Pick<Message, "joinRef" | "topic">,
  { ids, data }: { readonly ids: readonly number[]; readonly data: string },
): string {
  const payload = `{"ids":[${ids.join()}],"data":${data}}`;
  const [join, quoted] = [JSON.stringify(joinRef), JSON.stringify(topic)];
  return version === "2.0.0"
    ? `[${join},null,${quoted},"postgres_changes",${payload}]`
    : `{"join_ref":${join},"ref":null,"topic":${quoted},"event":"postgres_changes","payload":${payload}}`;
}

/**
 * Layout: kind, then lengths of join ref, ref, topic, event and metadata, then the encoding, then those parts and the
 * payload.
 */
export function decodeBroadcastPush(frame: Buffer): BroadcastPush {
  if (frame.length < 7 || frame[0] !== BROADCAST_PUSH) throw new ProtocolError("Unknown binary frame");
  let at = 7;
  const [joinRef, ref, topic, event, metadata] = [1, 2, 3, 4, 5].map((position) => {
    const length = frame[position]!;
    if (at + length > frame.length) throw new ProtocolError("Binary frame is cut off");
    return frame.toString("utf8", at, (at += length));
  }) as [string, string, string, string, string];
  const payload = frame.subarray(at);
  return {
    joinRef: joinRef || null,
    ref: ref || null,
    topic,
    persist: metadata !== "" && wantsStorage(JSON.parse(checkedJson(Buffer.from(metadata)))),
    broadcast: {
      event,
      body: frame[6] === JSON_ENCODING ? { json: checkedJson(payload) } : { bytes: payload },
    },
  };
}

/** `persist` is true, or says for how long. */
export const wantsStorage = (message: unknown): boolean =>
  Boolean((message as { persist?: unknown } | null)?.persist);

/** Undefined when this version cannot carry it: raw bytes do not fit into 1.0.0. */
export function encodeBroadcast(
  version: Version,
  topic: string,
  { event, body, meta }: Broadcast,
): string | Buffer | undefined {
  const names = [
    Buffer.from(topic),
    Buffer.from(event),
    Buffer.from(meta ? JSON.stringify(meta) : ""),
  ] as const;
  if (version === "2.0.0" && names.every((name) => name.length <= 255)) {
    const isJson = "json" in body;
    return Buffer.concat([
      Buffer.from([BROADCAST, names[0].length, names[1].length, names[2].length, isJson ? JSON_ENCODING : 0]),
      ...names,
      isJson ? Buffer.from(body.json) : body.bytes,
    ]);
  }
  if ("bytes" in body) return undefined;
  const extra = meta ? `,"meta":${JSON.stringify(meta)}` : "";
  const payload = `{"type":"broadcast","event":${JSON.stringify(event)},"payload":${body.json}${extra}}`;
  const quoted = JSON.stringify(topic);
  return version === "2.0.0"
    ? `[null,null,${quoted},"broadcast",${payload}]`
    : `{"topic":${quoted},"event":"broadcast","payload":${payload},"ref":null}`;
}

function toMessage(
  joinRef: unknown,
  ref: unknown,
  topic: unknown,
  event: unknown,
  payload: unknown,
): Message {
  if (typeof topic !== "string" || typeof event !== "string") {
    throw new ProtocolError("Frame has no topic or event");
  }
  return { joinRef: asRef(joinRef), ref: asRef(ref), topic, event, payload };
}

/** realtime-js counts refs up from "1"; other clients send numbers. They are kept with the channel. */
function asRef(value: unknown): string | null {
  if (typeof value !== "string" && typeof value !== "number") return null;
  if (String(value).length > LONGEST_REF) throw new ProtocolError("Frame's ref is too long");
  return String(value);
}

/** Receivers parse it unchecked, so it must be JSON. */
function checkedJson(bytes: Buffer): string {
  if (isTooDeep(bytes)) throw new ProtocolError("Broadcast payload nests too deeply");
  const text = bytes.toString("utf8");
  try {
    JSON.parse(text);
  } catch {
    throw new ProtocolError("Broadcast payload is not JSON");
  }
  return text;
}
