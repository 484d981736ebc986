// One picture on its way: resized here, then sent in parts that survive a lost connection. Retrying goes on where it stopped.
import type { Upload } from "tus-js-client";
import { vendorPictures } from "contract/schemas";
import { supabaseAddress } from "#lib/api/env.ts";
import { callFunction } from "#lib/api/functions.ts";

/** As on Supabase's platform, which takes no other size. */
const PART = 6 * 1024 * 1024;
const RETRIES_MS = [0, 1000, 3000, 6000];

/** The message may be shown. */
export class PictureError extends Error {}

export class PictureUpload {
  readonly #file: File;
  #path: string | undefined;
  #upload: Upload | undefined;
  #given = false;

  constructor(file: File) {
    this.#file = file;
  }

  /** Resolves with where the picture lies; `onProgress` receives a share of 1. Call it again after it rejected. @throws PictureError */
  async send(onProgress: (share: number) => void): Promise<string> {
    this.#upload ??= await this.#prepare();
    const upload = this.#upload;
    if (this.#given) throw new PictureError("The picture was removed.");
    await new Promise<void>((done, fail) => {
      upload.options.onProgress = (sent, all) => onProgress(all === 0 ? 1 : sent / all);
      upload.options.onSuccess = () => done();
      upload.options.onError = () =>
        fail(new PictureError("The picture could not be sent. Please try again."));
      upload.start();
    });
    return this.#path!;
  }

  /** What was sent so far is swept by the server. */
  giveUp(): void {
    this.#given = true;
    void this.#upload?.abort();
  }

  async #prepare(): Promise<Upload> {
    const [picture, address, { Upload: Sending }] = await Promise.all([
      resized(this.#file),
      callFunction<{ path: string; token: string }>("vendor-picture", {}),
      import("tus-js-client"),
    ]);
    const { url, anonKey } = supabaseAddress();
    this.#path = address.path!;
    return new Sending(picture, {
      endpoint: `${url}/storage/v1/upload/resumable/sign`,
      headers: { "x-signature": address.token!, apikey: anonKey },
      metadata: {
        ...{ bucketName: "vendor-pictures", objectName: this.#path },
        ...{ contentType: picture.type, cacheControl: "3600" },
      },
      chunkSize: PART,
      retryDelays: RETRIES_MS,
      storeFingerprintForResuming: false,
    });
  }
}

/** At most 2,000 pixels a side and without what the camera wrote into the file. Not every browser writes WebP. */
async function resized(file: File): Promise<Blob> {
  const image = await createImageBitmap(file, { imageOrientation: "from-image" }).catch(() => {
    throw new PictureError("This file is no picture that your browser can read.");
  });
  const scale = Math.min(1, vendorPictures.pixels / Math.max(image.width, image.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(image.width * scale));
  canvas.height = Math.max(1, Math.round(image.height * scale));
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  image.close();
  const webp = await encoded(canvas, "image/webp");
  const picture = webp?.type === "image/webp" ? webp : await encoded(canvas, "image/jpeg");
  if (!picture) throw new PictureError("This picture could not be resized.");
  return picture;
}

const encoded = (canvas: HTMLCanvasElement, type: string) =>
  new Promise<Blob | null>((done) => canvas.toBlob(done, type, 0.82));
