// P15: the memory that 10,000 idle sockets take in one process, bare and with a channel each. Read inside the server after a
// garbage collection, so that leftovers of opening them do not count.
import { setTimeout as sleep } from "node:timers/promises";
import { CROWD_ENV, frameOf, openCrowd } from "./crowd.ts";
import { type Figure, number } from "../figures.ts";
import { WrongAnswer } from "../pairs.ts";
import { openMeasuredShop } from "../shop.ts";

const SOCKETS = 10_000;
const CONFIG = { broadcast: {}, presence: { enabled: false } };
const JOIN = frameOf(JSON.stringify(["1", "1", "realtime:hall", "phx_join", { config: CONFIG }]));

interface Memory {
  readonly rss: number;
  readonly heapUsed: number;
}

export async function measureIdleSockets(): Promise<readonly Figure[]> {
  return [
    await memoryOf("a socket that is idle", undefined, { atMost: 16 }),
    await memoryOf("an idle socket in a channel", JOIN, { atMost: 24 }),
  ];
}

/** On a fresh server: a process reuses freed memory, which would hide growth. */
async function memoryOf(what: string, join: Buffer | undefined, goal: { atMost: number }): Promise<Figure> {
  const shop = await openMeasuredShop({ ...CROWD_ENV, NODE_OPTIONS: "--inspect-port=127.0.0.1:0" });
  try {
    const { pid, url, status, output } = shop.festival;
    const path = `/realtime/v1/websocket?vsn=2.0.0&apikey=${status.ANON_KEY!}`;
    const check = (message: Buffer) => {
      throw new WrongAnswer(`An idle socket was told ${String(message)}`);
    };
    const inspector = await openInspector(pid, output);
    const door = { url, path, ...(join && { join }), check };
    // The first sockets load the service.
    (await openCrowd({ ...door, members: 100 })).close();
    const before = await inspector.memory();
    const crowd = await openCrowd({ ...door, members: SOCKETS });
    const after = await inspector.memory();
    await crowd.heard(0); // nothing: throws when a socket was closed meanwhile, or told something
    crowd.close();
    inspector.close();
    const each = (part: keyof Memory) => (after[part] - before[part]) / SOCKETS / 1024;
    return {
      what: `${what}, of ${SOCKETS.toLocaleString("en-US")} in one process`,
      ours: `${number(each("rss"))} KB, of them ${number(each("heapUsed"))} KB heap; ${number(after.rss / 1024 / 1024)} MB in all`,
      against: "",
      amount: each("rss"),
      goal,
    };
  } finally {
    await shop.close();
  }
}

/** Node opens its inspector on SIGUSR1 and prints the address. */
async function openInspector(pid: number, output: () => string) {
  process.kill(pid, "SIGUSR1");
  let address: string | undefined;
  for (const deadline = Date.now() + 10_000; !address; await sleep(20)) {
    address = /Debugger listening on (ws:\S+)/.exec(output())?.[1];
    if (!address && Date.now() > deadline) throw new Error(`The server opened no inspector:\n${output()}`);
  }
  const socket = new WebSocket(address);
  await new Promise((open, fail) => {
    socket.addEventListener("open", open);
    socket.addEventListener("error", fail);
  });
  let asked = 0;
  const ask = (method: string, params = {}) =>
    new Promise<{ result?: { value?: unknown } }>((resolve) => {
      const id = ++asked;
      const hear = ({ data }: MessageEvent) => {
        const answer = JSON.parse(String(data)) as { id?: number; result: { result?: { value?: unknown } } };
        if (answer.id !== id) return;
        socket.removeEventListener("message", hear);
        resolve(answer.result);
      };
      socket.addEventListener("message", hear);
      socket.send(JSON.stringify({ id, method, params }));
    });
  return {
    async memory(): Promise<Memory> {
      await ask("HeapProfiler.collectGarbage");
      const expression = "process.memoryUsage()";
      const answer = await ask("Runtime.evaluate", { expression, returnByValue: true });
      return answer.result!.value as Memory;
    },
    close: () => socket.close(),
  };
}
