// Sockets that ask for large answers and never read them: the server would have to keep them.
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { addressOf, type Attack, type Target } from "./attack.ts";
import { manyOrders } from "./queries.ts";

const HELD_MS = 15_000;
/** For what is left in the system's buffers; a busy machine hands it over slowly. */
const READ_MS = 20_000;
/** Of one answer: 100 orders, 12 times their attendee's name of 6,000 letters. */
const ANSWER_BYTES = 100 * 12 * 6_000;
/** No refusal is longer. */
const REFUSED_BYTES = 10_000;
const REQUESTS = 2;

/** Just within the largest answer that is sent: 7 MB. */
const LARGE = `select=${Array.from({ length: 12 }, (_, n) => `a${n}:attendees`).join()}&buyer_full_name=eq.Greedy`;

export const SLOW_READERS: Attack = {
  name: "answers never read",
  attackers: 160,
  must: [/^closed unread$/],
  prepare: manyOrders,
  act: neverRead,
};

async function neverRead({ festival, attackers }: Target, n: number): Promise<string> {
  const { hostname, port } = new URL(festival.url);
  const request = [
    `GET /rest/v1/orders?${LARGE} HTTP/1.1`,
    `host: ${hostname}`,
    `apikey: ${festival.status.ANON_KEY}`,
    `authorization: Bearer ${attackers[n % attackers.length]!.token}`,
    `x-forwarded-for: ${addressOf(n)}`,
  ];
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on("error", () => {});
  // Without a listener for data, a socket reads one chunk and no more, and does not notice that it was closed.
  socket.write(`${request.join("\r\n")}\r\n\r\n`.repeat(REQUESTS));
  await sleep(HELD_MS);
  if (socket.bytesRead === 0) return (socket.destroy(), "not answered");
  socket.resume();
  const isClosed = await Promise.race([
    once(socket, "close").then(() => true),
    sleep(READ_MS).then(() => false),
  ]);
  socket.destroy();
  if (socket.bytesRead < REQUESTS * REFUSED_BYTES) return "refused";
  // An idle socket is closed too, once both answers are read.
  return isClosed && socket.bytesRead < REQUESTS * ANSWER_BYTES ? "closed unread" : "left unread";
}
