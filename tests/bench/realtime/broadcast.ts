// P5: broadcasts in one channel of 1,000 sockets, compared with a bare `ws` loop that sends the same bytes to as many. Several members
// send, so that each stays within its limit.
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { encodeBroadcast } from "../../../server/src/realtime/sockets/protocol.ts";
import { CROWD_ENV, type CrowdOptions, frameOf, openCrowd } from "./crowd.ts";
import { compared, type Figure, type Settings } from "../figures.ts";
import { measureInTurn, WrongAnswer } from "../pairs.ts";
import { openMeasuredShop } from "../shop.ts";

const MEMBERS = 1000;
const SPEAKERS = 20;
/** Messages in flight: not yet received by everybody. */
const UNDER_WAY = 10;
const TOPIC = "realtime:hall";
const EVENT = "said";
const CONFIG = { broadcast: { self: true }, presence: { enabled: false } };
const REST = "The parade of slabs starts at noon on MLK. ".repeat(3);

/** How to reach a server, and how to talk to it. */
interface Door extends Pick<CrowdOptions, "url" | "path" | "join"> {
  /** The frame in which a member sends it. */
  frame(json: string): Buffer;
}

export async function measureBroadcast({ pairs, seconds }: Settings): Promise<readonly Figure[]> {
  const shop = await openMeasuredShop(CROWD_ENV);
  const bare = fork(join(import.meta.dirname, "bare-broadcast.ts"));
  try {
    const [port] = (await once(bare, "message")) as [number];
    const { url, status } = shop.festival;
    const [member] = await shop.newBuyers(1); // visitors without an account only listen
    const joining = { config: CONFIG, access_token: member!.token };
    const ours: Door = {
      url,
      path: `/realtime/v1/websocket?vsn=2.0.0&apikey=${status.ANON_KEY!}`,
      join: frameOf(JSON.stringify(["1", "1", TOPIC, "phx_join", joining])),
      frame: (json) => frameOf(pushOf(json)),
    };
    const theirs: Door = {
      url: `http://127.0.0.1:${port}`,
      path: "/",
      frame: (json) => frameOf(heardAs(json)),
    };
    const paired = await measureInTurn(
      () => rate(ours, seconds),
      () => rate(theirs, seconds),
      pairs,
    );
    const what = `broadcasts of ${heardAs(wordsOf(0)).length} bytes to ${MEMBERS} sockets`;
    return [compared(what, "frames/s", "bare ws loop", paired, { atLeast: 0.9 })];
  } finally {
    bare.disconnect();
    await shop.close();
  }
}

/** Frames per second that the crowd receives. */
async function rate({ frame, ...door }: Door, seconds: number): Promise<number> {
  const underWay = new Set<string>();
  const check = (message: Buffer) => {
    if (!underWay.delete(message.toString("latin1"))) throw new WrongAnswer(`Nobody said ${String(message)}`);
  };
  const crowd = await openCrowd({ ...door, members: MEMBERS, check });
  try {
    const started = performance.now();
    const until = started + seconds * 1000;
    let said = 0;
    while (performance.now() < until) {
      const words = wordsOf(said);
      underWay.add(heardAs(words).toString("latin1"));
      crowd.say(said % SPEAKERS, frame(words));
      said += 1;
      await crowd.heard(said - UNDER_WAY + 1);
    }
    await crowd.heard(said);
    return (said * MEMBERS) / ((performance.now() - started) / 1000);
  } finally {
    crowd.close();
  }
}

const wordsOf = (number: number) => JSON.stringify({ number, text: REST });

const heardAs = (json: string) => encodeBroadcast("2.0.0", TOPIC, { event: EVENT, body: { json } }) as Buffer;

/**
 * As realtime-js sends it: kind, lengths of join ref, ref, topic, event and metadata, then the encoding, then those parts and the payload.
 */
const pushOf = (json: string) =>
  Buffer.concat([
    Buffer.from([3, 1, 0, TOPIC.length, EVENT.length, 0, 1]),
    Buffer.from(`1${TOPIC}${EVENT}${json}`),
  ]);
