// The festival's pictures, apart from its sections: every page names its own, and only the back office knows the rest.
import type { PictureKind } from "./shape.ts";

/** In pixels. A card is cropped to this size; a logo is scaled to fit. */
export const pictureSizes = {
  card: { width: 1200, height: 630 },
  logo: { width: 640, height: 320 },
} as const satisfies Record<PictureKind, object>;

export const FESTIVAL_PICTURES = "festival-pictures";
