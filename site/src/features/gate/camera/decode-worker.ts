// Reads QR codes from camera frames off the main thread, so that the screen stays responsive.
import { prepareZXingModule, readBarcodes } from "zxing-wasm/reader";
import wasm from "zxing-wasm/reader/zxing_reader.wasm?url";

prepareZXingModule({
  overrides: { locateFile: () => wasm },
  fireImmediately: true,
}).then(
  () => postMessage({ ready: true }),
  (error: unknown) => postMessage({ failed: String(error) }),
);

onmessage = async ({ data: { frame } }: MessageEvent<{ frame: ImageData }>) => {
  try {
    const codes = await readBarcodes(frame, {
      formats: ["QRCode"],
      tryHarder: true,
      tryDownscale: true,
      tryInvert: true,
      tryRotate: false, // a QR code is found in any rotation
    });
    postMessage({ texts: codes.filter(({ isValid }) => isValid).map(({ text }) => text) });
  } catch {
    postMessage({ texts: [] });
  }
};
