// One picture upload: resized here, then sent in parts that survive a lost connection. A retry continues where it stopped.
import type { Upload } from "tus-js-client";
import { supabaseAddress } from "../api/env.ts";

/** The only size that Supabase's platform accepts. */
const PART = 6 * 1024 * 1024;
const RETRIES_MS = [0, 1000, 3000, 6000];

export interface PicturePlace {
  readonly bucket: string;
  /** How many seconds browsers cache it. */
  readonly cacheSeconds: number;
  /** Converts a file to what the bucket accepts. @throws PictureError */
  prepare(file: File): Promise<Blob>;
  /**
   * A new name in the bucket, and the headers that permit writing there; `signed` when a signed URL permits it instead of a
   * session.
   */
  open(picture: Blob): Promise<{ path: string; signed: boolean; headers: Record<string, string> }>;
}

export class PictureUpload {
  readonly #file: File;
  readonly #place: PicturePlace;
  #path: string | undefined;
  #upload: Upload | undefined;
  #given = false;

  constructor(file: File, place: PicturePlace) {
    this.#file = file;
    this.#place = place;
  }

  /**
   * Resolves with the picture's path. `onProgress` receives a share from 0 to 1. May be called again after it rejects.
   * @throws PictureError when the file is at fault, Error otherwise; messages may be shown
   */
  async send(onProgress: (share: number) => void): Promise<string> {
    this.#upload ??= await this.#prepare();
    const upload = this.#upload;
    if (this.#given) throw new Error("The picture was removed.");
    await new Promise<void>((done, fail) => {
      upload.options.onProgress = (sent, all) => onProgress(all === 0 ? 1 : sent / all);
      upload.options.onSuccess = () => done();
      upload.options.onError = (cause) =>
        fail(new Error("The picture could not be sent. Please try again.", { cause }));
      upload.start();
    });
    return this.#path!;
  }

  /** The server cleans up the parts sent so far. */
  giveUp(): void {
    this.#given = true;
    void this.#upload?.abort();
  }

  async #prepare(): Promise<Upload> {
    const place = this.#place;
    const picture = await place.prepare(this.#file);
    const [opened, { Upload: Sending }] = await Promise.all([place.open(picture), import("tus-js-client")]);
    const { url, anonKey } = supabaseAddress();
    this.#path = opened.path;
    return new Sending(picture, {
      endpoint: `${url}/storage/v1/upload/resumable${opened.signed ? "/sign" : ""}`,
      headers: { ...opened.headers, apikey: anonKey },
      metadata: {
        ...{ bucketName: place.bucket, objectName: opened.path },
        ...{ contentType: picture.type, cacheControl: String(place.cacheSeconds) },
      },
      chunkSize: PART,
      retryDelays: RETRIES_MS,
      storeFingerprintForResuming: false,
    });
  }
}
