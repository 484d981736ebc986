// The process that makes pictures: what it has access to, and that its memory is freed when it ends.
import { readdirSync, readFileSync } from "node:fs";
import sharp from "sharp";
import { afterEach, expect, it } from "vitest";
import { DrawingProcess } from "./drawing-process.ts";

const RENDERING = { options: { width: 20 }, accept: "", bucketLikesAvif: false };
const photo = await sharp({ create: { width: 60, height: 40, channels: 3, background: "#d7263d" } })
  .jpeg()
  .toBuffer();

let drawing: DrawingProcess;
afterEach(async () => {
  drawing.end();
  await expect.poll(processes).toEqual([]);
});

const read = (path: string) => readFileSync(path, "utf8");
/** This test's processes, by their ids. */
const processes = () =>
  readdirSync("/proc/self/task")
    .flatMap((thread) => read(`/proc/self/task/${thread}/children`).split(" "))
    .filter((pid) => pid !== "" && read(`/proc/${pid}/cmdline`).includes("storage/images/draw.ts"));

it("makes pictures in a process without our secrets, which ends when it is idle", async () => {
  drawing = new DrawingProcess({ idleMs: 0 });
  expect(processes()).toEqual([]);
  const made = drawing.draw(photo, RENDERING);
  const [pid, ...others] = processes();
  expect(others).toEqual([]);
  const variables = read(`/proc/${pid}/environ`).split("\0").filter(Boolean);
  expect(variables.filter((variable) => !/^(NODE_CHANNEL|MALLOC)_/.test(variable))).toEqual([]);
  expect((await sharp((await made).bytes).metadata()).width).toBe(20);
  await expect.poll(processes).toEqual([]);
  expect((await drawing.draw(photo, RENDERING)).format).toBe("jpeg");
});

it("gives way to the server: its threads have the lowest priority", async () => {
  drawing = new DrawingProcess();
  await drawing.draw(photo, RENDERING);
  const [pid] = processes();
  const drawers = readdirSync(`/proc/${pid}/task`)
    .map((thread) => read(`/proc/${pid}/task/${thread}/stat`))
    .filter((stat) => /\(libuv-worker\)/.test(stat));
  const niceness = drawers.map((stat) => stat.slice(stat.lastIndexOf(")")).split(" ")[17]);
  expect(new Set(niceness)).toEqual(new Set(["19"]));
});

it("loses the pictures in progress when the process dies, and no later one", async () => {
  drawing = new DrawingProcess();
  const lost = drawing.draw(photo, RENDERING);
  process.kill(Number(processes()[0]), "SIGKILL");
  await expect(lost).rejects.toThrow("The process that makes pictures ended");
  expect((await drawing.draw(photo, RENDERING)).format).toBe("jpeg");
  await expect(drawing.draw(Buffer.from("no picture"), RENDERING)).rejects.toMatchObject({ status: 422 });
  expect(processes()).toHaveLength(1);
});

it("survives Ctrl-C, which reaches every process of a terminal: the server ends it", async () => {
  drawing = new DrawingProcess();
  await drawing.draw(photo, RENDERING);
  const [pid] = processes();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.kill(Number(pid), signal);
  expect((await drawing.draw(photo, RENDERING)).format).toBe("jpeg");
  expect(processes()).toEqual([pid]);
});

it("kills the process when a picture takes too long", async () => {
  drawing = new DrawingProcess({ longestMs: 1_000 });
  const stuck = drawing.draw(photo, RENDERING);
  process.kill(Number(processes()[0]), "SIGSTOP");
  await expect(stuck).rejects.toMatchObject({ status: 422 });
  await expect.poll(processes).toEqual([]);
  drawing = new DrawingProcess();
  expect((await drawing.draw(photo, RENDERING)).format).toBe("jpeg");
});

it("makes no AVIF that would take minutes and gigabytes", async () => {
  drawing = new DrawingProcess();
  const wide = await sharp({ create: { width: 2001, height: 2000, channels: 3, background: "#d7263d" } })
    .png()
    .toBuffer();
  const avif = { accept: "", bucketLikesAvif: true, options: { format: "avif" } } as const;
  expect((await drawing.draw(wide, avif)).format).toBe("webp");
  expect((await drawing.draw(photo, avif)).format).toBe("avif");
});

it("charges the processor time of a picture, not how long it waited for the processor", async () => {
  drawing = new DrawingProcess();
  await drawing.draw(photo, RENDERING);
  const [pid] = processes();
  const spent: number[] = [];
  process.kill(Number(pid), "SIGSTOP");
  const begun = performance.now();
  const made = [photo, Buffer.from("no picture")].map((bytes) =>
    drawing.draw(bytes, RENDERING, (ms) => spent.push(ms)),
  );
  setTimeout(() => process.kill(Number(pid), "SIGCONT"), 300);
  await Promise.allSettled(made);
  expect(spent).toHaveLength(2);
  for (const ms of spent) expect(ms).toBeGreaterThan(0);
  expect(spent[0]! + spent[1]!).toBeLessThan(performance.now() - begun - 200);
});
