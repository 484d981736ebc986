// How zxing looks for codes in a frame. Apart from the worker, so that it can be measured (tests/bench/gate/measure-reading.ts).
import type { ReaderOptions } from "zxing-wasm/reader";

export const readingOptions: ReaderOptions = {
  formats: ["QRCode"],
  tryHarder: true,
  tryDownscale: true,
  tryInvert: true,
  tryRotate: false, // a QR code is found in any rotation
};
