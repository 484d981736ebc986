// One frame in, the texts of all its QR codes out: through the browser's own detector if it supports QR codes, otherwise through
// zxing in a worker.

export interface Decoder {
  /** Empty when the frame does not show a complete code. */
  read: (video: HTMLVideoElement) => Promise<readonly string[]>;
  close: () => void;
}

interface NativeDetector {
  detect: (source: HTMLVideoElement) => Promise<readonly { rawValue: string }[]>;
}

interface NativeDetectorClass {
  new (options: { formats: string[] }): NativeDetector;
  getSupportedFormats: () => Promise<string[]>;
}

/** Enough for a code that fills a quarter of the picture. More only takes longer. */
const FRAME_WIDTH = 800;

/** @throws Error when neither is available, as offline before the first visit */
export async function createDecoder(): Promise<Decoder> {
  return (await nativeDecoder()) ?? (await workerDecoder());
}

async function nativeDecoder(): Promise<Decoder | undefined> {
  const { BarcodeDetector } = globalThis as { BarcodeDetector?: NativeDetectorClass };
  try {
    if (!BarcodeDetector || !(await BarcodeDetector.getSupportedFormats()).includes("qr_code"))
      return undefined;
    const detector = new BarcodeDetector({ formats: ["qr_code"] });
    return {
      read: async (video) =>
        (await detector.detect(video).catch(() => [])).flatMap(({ rawValue }) => rawValue || []),
      close: () => {},
    };
  } catch {
    return undefined;
  }
}

async function workerDecoder(): Promise<Decoder> {
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d", { willReadFrequently: true, alpha: false });
  if (!context) throw new Error("This browser cannot read pictures.");
  const worker = new Worker(new URL("./decode-worker.ts", import.meta.url), { type: "module" });
  const answered = (): Promise<{ ready?: boolean; failed?: string; texts?: string[] }> =>
    new Promise((resolve, reject) => {
      worker.addEventListener("message", ({ data }: MessageEvent<{ texts: string[] }>) => resolve(data), {
        once: true,
      });
      worker.addEventListener(
        "error",
        ({ message }) => reject(new Error(message || "The code reader could not be loaded.")),
        { once: true },
      );
    });
  const { failed } = await answered().catch((error: Error) => ({ failed: error.message }));
  if (failed) {
    worker.terminate();
    throw new Error(failed);
  }
  return {
    async read(video) {
      const { videoWidth, videoHeight } = video;
      if (videoWidth === 0) return [];
      const scale = Math.min(1, FRAME_WIDTH / videoWidth);
      canvas.width = Math.round(videoWidth * scale);
      canvas.height = Math.round(videoHeight * scale);
      context.drawImage(video, 0, 0, canvas.width, canvas.height);
      const frame = context.getImageData(0, 0, canvas.width, canvas.height);
      const answer = answered();
      const from = performance.now();
      worker.postMessage({ frame }, [frame.data.buffer]);
      const { texts = [] } = await answer.catch(() => ({ texts: [] }));
      if (texts.length > 0) performance.measure("gate: decode", { start: from }); // npm run bench, P11
      return texts;
    },
    close: () => worker.terminate(),
  };
}
