// `node server/testing/measure-functions.ts`: what a function costs in a Deno worker, through the gateway in this process: its first
// response, the next ones, and how many per second eight clients get, compared with a service in process that does nothing.
import { openProject } from "./functions.ts";

const STARTS = 10;
const CLIENTS = 8;
const SECONDS = 5;
const INDEX = `Deno.serve(() => Response.json({ ok: true }));`;

const names = Array.from({ length: STARTS }, (_, index) => `cold${index}`);
const files = Object.fromEntries(names.map((name) => [`functions/${name}/index.ts`, INDEX]));
const project = await openProject(files, { bounds: { most: STARTS } });

const inService = () =>
  fetch(`${project.origin}/rest/v1/anything`, { headers: { apikey: project.keys.anon } });
const inWorker = () => project.ask(names[0]!);

async function taken(ask: () => Promise<Response>): Promise<number> {
  const since = performance.now();
  const answer = await ask();
  await answer.text();
  if (!answer.ok) throw new Error(`answered ${answer.status}`);
  return performance.now() - since;
}

const spread = (values: readonly number[]): string => {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)]!.toFixed(1);
  return `${at(0.5)} ms (p95 ${at(0.95)})`;
};

async function inTurn(times: number, ask: (index: number) => Promise<Response>): Promise<string> {
  const values: number[] = [];
  for (let index = 0; index < times; index++) values.push(await taken(() => ask(index)));
  return spread(values);
}

async function rate(ask: () => Promise<Response>): Promise<string> {
  let answers = 0;
  const until = performance.now() + SECONDS * 1000;
  const client = async () => {
    while (performance.now() < until) {
      await taken(ask);
      answers++;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return `${Math.round(answers / SECONDS)}/s`;
}

const figures = {
  "worker, first answer": await inTurn(STARTS, (index) => project.ask(names[index]!)),
  "worker, later answers": await inTurn(300, inWorker),
  "service in process": await inTurn(300, inService),
  [`worker, ${CLIENTS} clients`]: await rate(inWorker),
  [`service in process, ${CLIENTS} clients`]: await rate(inService),
};
await project.close();
for (const [what, figure] of Object.entries(figures)) process.stdout.write(`${what}: ${figure}\n`);
