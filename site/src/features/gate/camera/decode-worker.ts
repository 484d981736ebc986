// Reads QR codes from camera frames off the main thread, so that the screen stays responsive.
import { prepareZXingModule, readBarcodes } from "zxing-wasm/reader";
import wasm from "zxing-wasm/reader/zxing_reader.wasm?url";
import { readingOptions } from "./reading-options.ts";

prepareZXingModule({
  overrides: { locateFile: () => wasm },
  fireImmediately: true,
}).then(
  () => postMessage({ ready: true }),
  (error: unknown) => postMessage({ failed: String(error) }),
);

onmessage = async ({ data: { frame } }: MessageEvent<{ frame: ImageData }>) => {
  try {
    const codes = await readBarcodes(frame, readingOptions);
    postMessage({ texts: codes.filter(({ isValid }) => isValid).map(({ text }) => text) });
  } catch {
    postMessage({ texts: [] });
  }
};
