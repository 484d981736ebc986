// The process that pictures are made in: what it knows, and that its memory goes with it.
import { readdirSync, readFileSync } from "node:fs";
import sharp from "sharp";
import { afterEach, expect, it } from "vitest";
import { DrawingProcess } from "./drawing-process.ts";

const WISH = { options: { width: 20 }, accept: "", bucketLikesAvif: false };
const photo = await sharp({ create: { width: 60, height: 40, channels: 3, background: "#d7263d" } })
  .jpeg()
  .toBuffer();

let drawing: DrawingProcess;
afterEach(() => drawing.end());

const read = (path: string) => readFileSync(path, "utf8");
/** Those of this test, by number. */
const processes = () =>
  readdirSync("/proc/self/task")
    .flatMap((thread) => read(`/proc/self/task/${thread}/children`).split(" "))
    .filter((pid) => pid !== "" && read(`/proc/${pid}/cmdline`).includes("storage/images/draw.ts"));

it("makes pictures in a process without our secrets, which ends when nobody wants another", async () => {
  drawing = new DrawingProcess({ idleMs: 0 });
  expect(processes()).toEqual([]);
  const made = drawing.draw(photo, WISH);
  const [pid, ...others] = processes();
  expect(others).toEqual([]);
  const variables = read(`/proc/${pid}/environ`).split("\0").filter(Boolean);
  expect(variables.filter((variable) => !/^(NODE_CHANNEL|MALLOC)_/.test(variable))).toEqual([]);
  expect((await sharp((await made).bytes).metadata()).width).toBe(20);
  await expect.poll(processes).toEqual([]);
  expect((await drawing.draw(photo, WISH)).format).toBe("jpeg");
});

it("loses the pictures under way when the process dies, and no later one", async () => {
  drawing = new DrawingProcess();
  const lost = drawing.draw(photo, WISH);
  process.kill(Number(processes()[0]), "SIGKILL");
  await expect(lost).rejects.toThrow("The process that makes pictures ended");
  expect((await drawing.draw(photo, WISH)).format).toBe("jpeg");
  await expect(drawing.draw(Buffer.from("no picture"), WISH)).rejects.toMatchObject({ status: 422 });
  expect(processes()).toHaveLength(1);
});

it("goes on after Ctrl-C, which reaches every process of a terminal: the server ends it", async () => {
  drawing = new DrawingProcess();
  await drawing.draw(photo, WISH);
  const [pid] = processes();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.kill(Number(pid), signal);
  expect((await drawing.draw(photo, WISH)).format).toBe("jpeg");
  expect(processes()).toEqual([pid]);
});

it("gives a picture up that takes too long, with the process", async () => {
  drawing = new DrawingProcess({ longestMs: 1_000 });
  const stuck = drawing.draw(photo, WISH);
  process.kill(Number(processes()[0]), "SIGSTOP");
  await expect(stuck).rejects.toMatchObject({ status: 422 });
  await expect.poll(processes).toEqual([]);
  drawing = new DrawingProcess();
  expect((await drawing.draw(photo, WISH)).format).toBe("jpeg");
});

it("makes no AVIF of what would take minutes and gigabytes", async () => {
  drawing = new DrawingProcess();
  const wide = await sharp({ create: { width: 2001, height: 2000, channels: 3, background: "#d7263d" } })
    .png()
    .toBuffer();
  const avif = { accept: "", bucketLikesAvif: false, options: { format: "avif" } } as const;
  expect((await drawing.draw(wide, avif)).format).toBe("webp");
  expect((await drawing.draw(photo, avif)).format).toBe("avif");
});
