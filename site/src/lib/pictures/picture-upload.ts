// One picture upload: resized here, then sent in parts that survive a lost connection. A retry continues where it stopped.
import type { Upload } from "tus-js-client";
import { supabaseAddress } from "../api/env.ts";
import { UNREACHABLE } from "../api/refusal.ts";
import { getRenewedSupabase } from "../api/renewed.ts";
import { LONG_MS } from "../api/time-limit.ts";
import { plainWords } from "../session/refusal-words.ts";

/** The only size that Supabase's platform accepts. */
const PART = 6 * 1024 * 1024;
const RETRIES_MS = [0, 1000, 3000, 6000];

export interface PicturePlace {
  readonly bucket: string;
  /** How many seconds browsers cache it. */
  readonly cacheSeconds: number;
  /** Converts a file to what the bucket accepts. @throws PictureError */
  prepare(file: File): Promise<Blob>;
  /** A new name in the bucket, and the token of a signed URL that permits writing there; without one, the session does. */
  open(picture: Blob): Promise<{ path: string; token?: string }>;
}

export class PictureUpload {
  readonly #file: File;
  readonly #place: PicturePlace;
  #opened: { path: string; token?: string } | undefined;
  #upload: Upload | undefined;
  #given = false;
  #limit: ReturnType<typeof setTimeout> | undefined;

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
    const { path, token } = this.#opened!;
    const permit = token === undefined ? await sessionHeader() : { "x-signature": token };
    if (this.#given) throw new Error("The picture was removed.");
    upload.options.headers = { ...permit, apikey: supabaseAddress().anonKey };
    await new Promise<void>((done, fail) => {
      let before: number | undefined;
      const watch = () => {
        clearTimeout(this.#limit);
        this.#limit = setTimeout(() => {
          void upload.abort();
          fail(new Error(UNREACHABLE));
        }, LONG_MS);
      };
      upload.options.onProgress = (sent, all) => {
        if (sent !== before) watch();
        before = sent;
        onProgress(all === 0 ? 1 : sent / all);
      };
      upload.options.onSuccess = () => done();
      upload.options.onError = (cause) =>
        fail(new Error("The picture could not be sent. Please try again.", { cause }));
      watch();
      upload.start();
    }).finally(() => clearTimeout(this.#limit));
    return path;
  }

  /** The server cleans up the parts sent so far. */
  giveUp(): void {
    this.#given = true;
    clearTimeout(this.#limit);
    void this.#upload?.abort();
  }

  async #prepare(): Promise<Upload> {
    const place = this.#place;
    const picture = await place.prepare(this.#file);
    const [opened, { Upload: Sending }] = await Promise.all([place.open(picture), import("tus-js-client")]);
    const { url } = supabaseAddress();
    this.#opened = opened;
    return new Sending(picture, {
      endpoint: `${url}/storage/v1/upload/resumable${opened.token === undefined ? "" : "/sign"}`,
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

/** @throws Error: an upload never acts as a visitor's */
async function sessionHeader(): Promise<Record<string, string>> {
  const supabase = await getRenewedSupabase().catch((cause: unknown) => {
    throw new Error(UNREACHABLE, { cause });
  });
  const { session } = (await supabase.auth.getSession()).data;
  if (!session) throw new Error(plainWords("session_expired"));
  return { authorization: `Bearer ${session.access_token}` };
}
