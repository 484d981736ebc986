// The pictures of an unfinished application. Completed uploads are in the form, and so in its draft. Those in progress are kept
// here, whatever step is shown.
import { useRef, useState } from "react";
import type { UseFormReturn } from "react-hook-form";
import { vendorPictures } from "contract/schemas";
import { logError } from "#lib/browser/error-log.ts";
import { PictureUpload } from "#lib/pictures/picture-upload.ts";
import { picturePlace } from "./picture-place.ts";
import type { VendorFormInput, VendorFormOutput } from "./vendor-form.ts";

export interface ComingPicture {
  readonly key: number;
  readonly name: string;
  /** The uploaded share, from 0 to 1. */
  readonly share: number;
  /** Why it stopped. It can be retried. */
  readonly problem: string | undefined;
}

export interface Pictures {
  readonly coming: readonly ComingPicture[];
  /** Those being uploaded. The rest have failed, and are left out unless retried. */
  readonly underWay: readonly ComingPicture[];
  /** Adds as many as fit. */
  add(files: readonly File[]): void;
  retry(key: number): void;
  drop(key: number): void;
  /** Removes an uploaded picture. */
  remove(path: string): void;
  /** Drops those that were not uploaded. */
  clear(): void;
}

type Form = UseFormReturn<VendorFormInput, unknown, VendorFormOutput>;

export function usePictures(form: Form): Pictures {
  const [coming, setComing] = useState<readonly ComingPicture[]>([]);
  const uploads = useRef(new Map<number, PictureUpload>());
  const nextKey = useRef(0);
  const arrived = () => form.getValues("pictures") ?? [];
  const change = (key: number, changed: Partial<ComingPicture>) =>
    setComing((all) => all.map((one) => (one.key === key ? { ...one, ...changed } : one)));
  const drop = (key: number) => {
    uploads.current.get(key)?.giveUp();
    uploads.current.delete(key);
    setComing((all) => all.filter((one) => one.key !== key));
  };

  async function send(key: number, name: string): Promise<void> {
    const upload = uploads.current.get(key);
    change(key, { problem: undefined });
    try {
      const path = await upload!.send((share) => change(key, { share }));
      if (!uploads.current.has(key)) return;
      form.setValue("pictures", [...arrived(), { path, name }], { shouldDirty: true });
      drop(key);
    } catch (error) {
      if (!uploads.current.has(key)) return;
      logError("send a picture", error);
      change(key, { problem: error instanceof Error ? error.message : "The picture could not be sent." });
    }
  }

  return {
    coming,
    underWay: coming.filter(({ problem }) => problem === undefined),
    add(files) {
      const room = vendorPictures.most - arrived().length - uploads.current.size;
      for (const file of files.slice(0, Math.max(0, room))) {
        const key = nextKey.current++;
        const name = file.name.slice(0, 255);
        uploads.current.set(key, new PictureUpload(file, picturePlace));
        setComing((all) => [...all, { key, name, share: 0, problem: undefined }]);
        void send(key, name);
      }
    },
    retry: (key) => void send(key, coming.find((one) => one.key === key)?.name ?? ""),
    drop,
    remove: (path) =>
      form.setValue(
        "pictures",
        arrived().filter((one) => one.path !== path),
        { shouldDirty: true },
      ),
    clear: () => coming.forEach(({ key }) => drop(key)),
  };
}
