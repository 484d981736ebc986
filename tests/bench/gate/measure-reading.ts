// `node tests/bench/gate/measure-reading.ts [PICTURES]`: how many pictures of an entry code the gate reads, by what the code is drawn
// as. Each form is drawn as wide as the others, quiet zone included, and spoiled alike: what fewer modules gain is what they show.
import { readFileSync } from "node:fs";
import QRCode from "qrcode";
import { prepareZXingModule, readBarcodes } from "zxing-wasm/reader";
import { readingOptions } from "../../../site/src/features/gate/camera/reading-options.ts";

const PICTURES = Number(process.argv[2] ?? 100);

interface Form {
  readonly name: string;
  readonly mode: "byte" | "alphanumeric";
  readonly level: "L" | "M" | "Q";
  readonly letters: string;
  readonly length: number;
}

const BASE64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const BASE32 = "0123456789ABCDEFGHIJKLNOPRSTUVXZ";
const forms: readonly Form[] = [
  { name: "147 bytes, M", mode: "byte", level: "M", letters: BASE64URL, length: 147 },
  { name: "149 letters, Q", mode: "alphanumeric", level: "Q", letters: BASE32, length: 149 },
  { name: "149 letters, M", mode: "alphanumeric", level: "M", letters: BASE32, length: 149 },
  { name: "149 letters, L", mode: "alphanumeric", level: "L", letters: BASE32, length: 149 },
];

/** Lengths in pixels of the camera's frame, brightness in its 256 steps. */
interface Trouble {
  readonly what: string;
  /** Of the code with its quiet zone. */
  readonly side: number;
  /** Standard deviation of a Gaussian. */
  readonly blur: number;
  /** 1: ink and paper, 0: nothing to see. */
  readonly contrast: number;
  readonly noise: number;
  /** Share of the code that is covered by round spots, as wide as a thirtieth of it. */
  readonly dirt: number;
}

const clean = { side: 160, blur: 0.7, contrast: 0.85, noise: 4, dirt: 0 };
const each = <Key extends keyof Trouble>(
  key: Key,
  values: readonly Trouble[Key][],
  other: Partial<Trouble> = {},
) => values.map((value): Trouble => ({ ...clean, ...other, [key]: value, what: `${key} ${value}` }));
const troubles: readonly Trouble[] = [
  ...each("side", [80, 85, 90, 95, 100, 105, 110, 120]),
  ...each("blur", [1, 1.2, 1.4, 1.6, 1.8]),
  ...each("contrast", [0.5, 0.35, 0.25, 0.2], { side: 120, noise: 5 }),
  ...each("noise", [6, 9, 12, 16], { side: 120 }),
  ...each("dirt", [0.01, 0.02, 0.03, 0.04, 0.06]),
];

prepareZXingModule({
  overrides: {
    wasmBinary: readFileSync(new URL(import.meta.resolve("zxing-wasm/reader/zxing_reader.wasm"))).buffer,
  },
});

/** Mulberry32: the same numbers for the same seed, so each form gets the same troubles. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const QUIET = 4;
const INK = 20;
const PAPER = 235;
/** Samples of a pixel, across and down. */
const SAMPLES = 3;

function picture(form: Form, text: string, trouble: Trouble, random: () => number): ImageData {
  const data = form.mode === "byte" ? new TextEncoder().encode(text) : text;
  const { modules } = QRCode.create([{ mode: form.mode, data } as QRCode.QRCodeSegment], {
    errorCorrectionLevel: form.level,
    maskPattern: 4,
  });
  const { side, dirt } = trouble;
  const frame = Math.ceil(side * 1.5);
  const turn = ((random() - 0.5) * 30 * Math.PI) / 180;
  const tilt = 1 - random() * 0.15;
  const [left, top] = [random(), random()];
  const spots = Array.from({ length: Math.round((dirt * 900) / (Math.PI / 4)) }, () => ({
    x: random(),
    y: random(),
    gray: random() < 0.5 ? INK : PAPER,
  }));
  const width = modules.size + 2 * QUIET;
  /** x and y within the code: from 0 to 1. */
  const grayAt = (x: number, y: number): number => {
    for (const spot of spots) if ((spot.x - x) ** 2 + (spot.y - y) ** 2 < 1 / 3600) return spot.gray;
    const [column, row] = [Math.floor(x * width) - QUIET, Math.floor(y * width) - QUIET];
    if (column < 0 || row < 0 || column >= modules.size || row >= modules.size) return PAPER;
    return modules.data[row * modules.size + column] ? INK : PAPER;
  };
  const grays = new Float64Array(frame * frame);
  const [sine, cosine] = [Math.sin(turn) / side, Math.cos(turn) / side];
  for (let y = 0; y < frame; y++)
    for (let x = 0; x < frame; x++) {
      let sum = 0;
      for (let sample = 0; sample < SAMPLES * SAMPLES; sample++) {
        const right = (x + ((sample % SAMPLES) + 0.5) / SAMPLES - frame / 2 + left) / tilt;
        const down = y + (Math.floor(sample / SAMPLES) + 0.5) / SAMPLES - frame / 2 + top;
        sum += grayAt(right * cosine + down * sine + 0.5, down * cosine - right * sine + 0.5);
      }
      grays[y * frame + x] = sum / (SAMPLES * SAMPLES);
    }
  const { blur, contrast, noise } = trouble;
  const blurred = along(along(grays, frame, blur, 1), frame, blur, frame);
  const pixels = new Uint8ClampedArray(4 * frame * frame).fill(255);
  for (let at = 0; at < blurred.length; at++) {
    const light = 128 + (blurred[at]! - 128) * contrast + noise * normal(random);
    pixels.fill(light, 4 * at, 4 * at + 3);
  }
  return { data: pixels, width: frame, height: frame, colorSpace: "srgb" };
}

const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** Blurs along rows (step 1) or columns (step: the frame's width). */
function along(grays: Float64Array, frame: number, blur: number, step: number): Float64Array {
  const reach = Math.ceil(3 * blur);
  const weights = Array.from({ length: reach + 1 }, (_, at) => Math.exp(-(at ** 2) / (2 * blur ** 2)));
  const total = weights.reduce((sum, weight, at) => sum + (at === 0 ? weight : 2 * weight), 0);
  return grays.map((_, at) => {
    const place = step === 1 ? at % frame : Math.floor(at / frame);
    let sum = 0;
    for (let away = -reach; away <= reach; away++) {
      const near = Math.min(frame - 1, Math.max(0, place + away));
      sum += weights[Math.abs(away)]! * grays[at + (near - place) * step]!;
    }
    return sum / total;
  });
}

const textOf = ({ letters, length }: Form, random: () => number): string =>
  Array.from({ length }, () => letters[Math.floor(random() * letters.length)]).join("");

console.log(`| | ${forms.map(({ name }) => name).join(" | ")} |`);
console.log(`| --- | ${forms.map(() => "--:").join(" | ")} |`);
for (const trouble of troubles) {
  const shares: string[] = [];
  for (const form of forms) {
    let read = 0;
    for (let n = 0; n < PICTURES; n++) {
      const text = textOf(form, randomOf(n));
      const found = await readBarcodes(picture(form, text, trouble, randomOf(1000 + n)), readingOptions);
      if (found.some((code) => code.isValid && code.text === text)) read++;
    }
    shares.push(`${Math.round((100 * read) / PICTURES)} %`);
  }
  console.log(`| ${trouble.what} | ${shares.join(" | ")} |`);
}
