// Uploads a vendor's pictures. No one is signed in, so each picture gets a unique path.
import { vendorPictures } from "contract/limits";
import { callFunction } from "#lib/api/functions.ts";
import { drawableOf, encoded, fitting, whole } from "#lib/pictures/canvas.ts";
import type { PicturePlace } from "#lib/pictures/picture-upload.ts";

export const picturePlace: PicturePlace = {
  bucket: "vendor-pictures",
  cacheSeconds: 3600,
  async prepare(file) {
    const picture = await drawableOf(file);
    const bounds = { width: vendorPictures.pixels, height: vendorPictures.pixels };
    return encoded(whole(picture, fitting(picture, bounds)), ["image/webp", "image/jpeg"], 0.82);
  },
  async open() {
    const { path, token } = await callFunction<{ path: string; token: string }>("vendor-picture", {});
    if (typeof path !== "string" || typeof token !== "string")
      throw new Error("The answer is not a place for a picture");
    return { path, token };
  },
};
