// Floods of channels and broadcasts.
import { setTimeout as sleep } from "node:timers/promises";
import WebSocket from "ws";
import { addressOf, type Attack, post, type Target } from "./attack.ts";

const OPEN_FOR_MS = 2_000;
const JOINS = 100;
const MESSAGES = 1_000;

export const SOCKETS: readonly Attack[] = [
  {
    name: "sockets, joins and filters",
    attackers: 32,
    must: [/^(?:joined|ChannelRateLimitReached|ClientJoinRateLimitReached)$/],
    act: (target, n) =>
      flood(
        target,
        n,
        Array.from({ length: JOINS }, (_, join) =>
          frame(`realtime:${n}-${join}`, "phx_join", {
            config: {
              postgres_changes: Array.from({ length: 20 }, (__, price) => ({
                event: "*",
                schema: "public",
                table: "products",
                filter: `price=gt.${price + n}`,
              })),
            },
          }),
        ),
      ),
  },
  {
    name: "anonymous broadcasts on sockets",
    attackers: 32,
    must: [/^closed 1008$/],
    act: (target, n) =>
      flood(target, n, [
        frame("realtime:private", "phx_join", { config: { private: true } }),
        frame("realtime:public", "phx_join", { config: { broadcast: { ack: true } } }),
        ...Array.from({ length: MESSAGES }, (_, message) =>
          frame(message % 2 ? "realtime:private" : "realtime:public", "broadcast", {
            type: "broadcast",
            event: "flood",
            payload: { message },
          }),
        ),
      ]),
  },
  {
    name: "calls of a thousand private broadcasts",
    attackers: 32,
    must: [/^422 One call may broadcast on 10 private topics$/, /^(?:202|429 .*)$/],
    act: (target, n) =>
      post(target, n, "/realtime/v1/api/broadcast", {
        messages: Array.from({ length: MESSAGES }, (_, message) => ({
          // One call of a visitor may name ten private topics.
          topic: `t${n % 2 ? message : message % 10}`,
          event: "e",
          payload: {},
          private: true,
        })),
      }),
  },
];

const frame = (topic: string, event: string, payload: object): string =>
  JSON.stringify({ topic, event, payload, ref: "1", join_ref: "1" });

/** Sends everything as fast as it can. Returns the last refusal, or how the socket was closed. */
async function flood({ festival }: Target, n: number, frames: readonly string[]): Promise<string> {
  const socket = new WebSocket(
    `${festival.url.replace("http", "ws")}/realtime/v1/websocket?vsn=1.0.0&apikey=${festival.status.ANON_KEY}`,
    { headers: { "x-forwarded-for": addressOf(n) } },
  );
  let ending = "not answered";
  socket.on("open", () => frames.forEach((one) => socket.send(one)));
  socket.on("message", (data: Buffer) => {
    const text = data.toString("utf8");
    const refusal = /"reason":"(\w+)/.exec(text)?.[1];
    if (refusal !== undefined) ending = refusal;
    else if (ending === "not answered" && text.includes('"status":"ok"')) ending = "joined";
  });
  socket.on("unexpected-response", (_, { statusCode }) => {
    ending = String(statusCode);
    socket.terminate();
  });
  socket.on("error", () => {});
  const closed = new Promise<void>((done) => {
    socket.on("close", (code) => {
      if (code !== 1000 && code !== 1006) ending = `closed ${code}`;
      done();
    });
  });
  await Promise.race([closed, sleep(OPEN_FOR_MS)]);
  socket.terminate();
  await closed;
  return ending;
}
