// A camera that shows real codes: a film made of QR codes, which Chromium plays in place of a camera. It loops, and Chromium
// reopens the file whenever the page opens the camera.
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator } from "@playwright/test";
import QRCode from "qrcode";
import { chromiumLaunch } from "../page/chromium.ts";

const WIDTH = 640;
const HEIGHT = 480;
const FRAMES_A_SECOND = 10;
const GRAY = 96;

interface Scene {
  /** Without a code: an empty picture. */
  readonly code?: string;
  /** Several codes in one picture. */
  readonly codes?: readonly Placed[];
  /** A picture instead of a code, as `pictureOf` returns it. */
  readonly picture?: Buffer;
  readonly seconds: number;
  /** The part of the code that the picture shows, from the left; 1 is all. */
  readonly shown?: number;
  /** 0: clean; 1: as dirty as possible. */
  readonly dirt?: number;
}

/** A code of at most `side` pixels, with its quiet zone, in a picture of 640 by 480. */
interface Placed {
  readonly code: string;
  readonly left: number;
  readonly top: number;
  readonly side: number;
}

export interface FakeCamera {
  readonly launchOptions: Awaited<ReturnType<typeof chromiumLaunch>>;
  /** Sets what the camera shows when it is next opened. */
  show(...scenes: Scene[]): void;
}

/** One for each worker: its browser is launched with it. */
export async function fakeCamera(): Promise<FakeCamera> {
  const folder = join(tmpdir(), `gate-camera-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "film.y4m");
  const launch = await chromiumLaunch();
  const camera: FakeCamera = {
    launchOptions: {
      ...launch,
      args: [
        ...launch.args,
        "--use-fake-device-for-media-stream",
        "--use-fake-ui-for-media-stream",
        `--use-file-for-fake-video-capture=${file}`,
      ],
    },
    show(...scenes) {
      writeFileSync(`${file}.new`, film(scenes));
      renameSync(`${file}.new`, file);
    },
  };
  camera.show({ seconds: 1 });
  return camera;
}

/** YUV4MPEG2, uncompressed: brightness, then two quarter planes without color. */
function film(scenes: readonly Scene[]): Buffer {
  const head = Buffer.from(`YUV4MPEG2 W${WIDTH} H${HEIGHT} F${FRAMES_A_SECOND}:1 Ip A1:1 C420jpeg\n`);
  const colorless = Buffer.alloc((WIDTH * HEIGHT) / 2, 128);
  const frames = scenes.flatMap((scene) => {
    const frame = Buffer.concat([Buffer.from("FRAME\n"), picture(scene), colorless]);
    return Array.from({ length: Math.max(1, Math.round(scene.seconds * FRAMES_A_SECOND)) }, () => frame);
  });
  return Buffer.concat([head, ...frames]);
}

/** The screen's content at this element, as large as the camera sees it. */
export async function pictureOf(image: Locator): Promise<Buffer> {
  const gray = await image.evaluate(
    async (shown: HTMLImageElement, { width, height, ground }) => {
      await shown.decode();
      const canvas = new OffscreenCanvas(width, height);
      const context = canvas.getContext("2d")!;
      context.fillStyle = `rgb(${ground} ${ground} ${ground})`;
      context.fillRect(0, 0, width, height);
      const side = height * 0.9;
      context.drawImage(shown, (width - side) / 2, (height - side) / 2, side, side);
      const { data } = context.getImageData(0, 0, width, height);
      return Array.from({ length: width * height }, (_, pixel) => data[4 * pixel + 1]!);
    },
    { width: WIDTH, height: HEIGHT, ground: GRAY },
  );
  return Buffer.from(gray);
}

function picture({ code, codes, picture, shown = 1, dirt = 0 }: Scene): Buffer {
  if (picture) return picture;
  const brightness = Buffer.alloc(WIDTH * HEIGHT, GRAY);
  const side = HEIGHT - 20;
  const alone = code === undefined ? [] : [{ code, left: (WIDTH - side) / 2, top: 10, side }];
  for (const placed of codes ?? alone) draw(brightness, placed, shown, dirt);
  return brightness;
}

function draw(brightness: Buffer, { code, side, ...place }: Placed, shown: number, dirt: number): void {
  const { modules } = QRCode.create(code, { errorCorrectionLevel: "M" });
  const quiet = 4;
  const size = modules.size + 2 * quiet;
  const scale = Math.floor(side / size);
  const left = Math.floor(place.left + (side - size * scale) / 2);
  const top = Math.floor(place.top + (side - size * scale) / 2);
  for (let y = 0; y < size * scale; y++) {
    for (let x = 0; x < size * scale * shown; x++) {
      const row = Math.floor(y / scale) - quiet;
      const column = Math.floor(x / scale) - quiet;
      const inside = row >= 0 && column >= 0 && row < modules.size && column < modules.size;
      const dark = inside && modules.get(row, column) === 1;
      const speck = ((x * 7919 + y * 104_729) % 1000) / 1000 < dirt;
      brightness[(top + y) * WIDTH + left + x] = dark !== speck ? 20 : 235;
    }
  }
}
