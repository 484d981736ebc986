// The pictures of an unfinished application. Completed uploads are in the form, and so in its draft. Those in progress are kept
// here, whatever step is shown.
import { useRef, useState } from "react";
import type { UseFormReturn } from "react-hook-form";
import { vendorPictures } from "contract/limits";
import { logError } from "#lib/browser/error-log.ts";
import { PictureUpload } from "#lib/pictures/picture-upload.ts";
import { picturePlace } from "./picture-place.ts";
import type { VendorFormInput, VendorFormOutput } from "./vendor-form.ts";

export interface ComingPicture {
  /** Its place in the order in which pictures were chosen. */
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
  /** How many of those chosen last did not fit. */
  readonly leftOut: number;
  /** The place of an uploaded picture among those of this visit, by their `key`. Those of an earlier one come first. */
  placeOf(path: string): number;
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
  const [leftOut, setLeftOut] = useState(0);
  const uploads = useRef(new Map<number, PictureUpload>());
  const nextKey = useRef(0);
  const sending = useRef(new Set<number>());
  const { arrived, placeOf, put, remove } = useArrived(form);
  const room = () => Math.max(0, vendorPictures.most - arrived().length - sending.current.size);
  const change = (key: number, changed: Partial<ComingPicture>) =>
    setComing((all) => all.map((one) => (one.key === key ? { ...one, ...changed } : one)));
  const drop = (key: number) => {
    uploads.current.get(key)?.giveUp();
    uploads.current.delete(key);
    sending.current.delete(key);
    setComing((all) => all.filter((one) => one.key !== key));
  };

  async function send(key: number, name: string): Promise<void> {
    const upload = uploads.current.get(key);
    sending.current.add(key);
    change(key, { problem: undefined });
    try {
      const path = await upload!.send((share) => change(key, { share }));
      if (!uploads.current.has(key)) return;
      put(key, { path, name });
      drop(key);
    } catch (error) {
      if (!uploads.current.has(key)) return;
      sending.current.delete(key);
      logError("send a picture", error);
      change(key, { problem: error instanceof Error ? error.message : "The picture could not be sent." });
    }
  }

  return {
    coming,
    underWay: coming.filter(({ problem }) => problem === undefined),
    leftOut,
    placeOf,
    add(files) {
      const fitting = files.slice(0, room());
      setLeftOut(files.length - fitting.length);
      for (const file of fitting) {
        const key = nextKey.current++;
        const name = file.name.slice(0, 255);
        uploads.current.set(key, new PictureUpload(file, picturePlace));
        setComing((all) => [...all, { key, name, share: 0, problem: undefined }]);
        void send(key, name);
      }
    },
    retry: (key) => room() > 0 && void send(key, coming.find((one) => one.key === key)?.name ?? ""),
    drop,
    remove(path) {
      setLeftOut(0);
      remove(path);
    },
    clear() {
      setLeftOut(0);
      for (const { key } of coming) drop(key);
    },
  };
}

/** The uploaded pictures, which the form has in the order in which they were chosen. */
function useArrived(form: Form) {
  const keys = useRef(new Map<string, number>());
  const arrived = () => form.getValues("pictures") ?? [];
  const placeOf = (path: string) => keys.current.get(path) ?? -1;
  const set = (pictures: ReturnType<typeof arrived>) =>
    form.setValue("pictures", pictures, { shouldDirty: true });
  return {
    arrived,
    placeOf,
    put(key: number, picture: ReturnType<typeof arrived>[number]) {
      keys.current.set(picture.path, key);
      set([...arrived(), picture].toSorted((one, other) => placeOf(one.path) - placeOf(other.path)));
    },
    remove: (path: string) => set(arrived().filter((one) => one.path !== path)),
  };
}
