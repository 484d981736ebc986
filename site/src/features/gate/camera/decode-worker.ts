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
    const [code] = await readBarcodes(frame, {
      formats: ["QRCode"],
      maxNumberOfSymbols: 1,
      tryHarder: true,
      tryDownscale: true,
      tryInvert: true,
      tryRotate: false, // a QR code is found in any rotation
    });
    postMessage({ text: code?.isValid ? code.text : null });
  } catch {
    postMessage({ text: null });
  }
};
