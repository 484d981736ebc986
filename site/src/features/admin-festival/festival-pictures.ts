// Pictures of the festival, from an organizer's file to the bucket: cropped to the sharing card's size, or scaled down to fit a
// logo's.
import { cardSize, FESTIVAL_PICTURES } from "contract/festival/pictures";
import { festivalShapes } from "contract/festival/sections";
import type { PictureKind } from "contract/festival/shape";
import {
  type Drawable,
  drawableOf,
  encoded,
  fitting,
  middle,
  PictureError,
  type Size,
  whole,
} from "#lib/pictures/canvas.ts";
import { PictureUpload, type PicturePlace } from "#lib/pictures/picture-upload.ts";

const LARGEST_FILE = 20 * 1024 * 1024;
const YEAR_SECONDS = 31_536_000;
const PAPER = "#fff6e6";
const logo = festivalShapes.sponsors.fields.sponsors.of.fields.logo.fields;
const LARGEST_LOGO: Size = { width: logo.width.max, height: logo.height.max };
/** Half the displayed size: a smaller picture would look blurred. */
const LEAST: Record<PictureKind, Size> = {
  card: { width: cardSize.width / 2, height: cardSize.height / 2 },
  logo: { width: 64, height: 32 },
};
const ENDINGS: Record<string, string> = { "image/webp": "webp", "image/png": "png", "image/jpeg": "jpg" };

/** An upload; `size` is known once it is sent. */
export class FestivalPicture {
  readonly #upload: PictureUpload;
  #size: Size = cardSize;

  constructor(file: File, kind: PictureKind) {
    this.#upload = new PictureUpload(file, this.#placeOf(kind));
  }

  /** May be called again after it rejects. @throws PictureError when the file is at fault, Error otherwise */
  async send(onProgress: (share: number) => void): Promise<{ file: string } & Size> {
    const file = await this.#upload.send(onProgress);
    return { file, ...this.#size };
  }

  giveUp(): void {
    this.#upload.giveUp();
  }

  #placeOf(kind: PictureKind): PicturePlace {
    return {
      bucket: FESTIVAL_PICTURES,
      cacheSeconds: YEAR_SECONDS, // a name is never reused
      prepare: async (file) => {
        const picture = await readable(file, kind);
        if (kind === "card")
          // Some sites that show cards cannot read WebP.
          return encoded(middle(picture, cardSize, PAPER), ["image/jpeg"], 0.86);
        this.#size = fitting(picture, LARGEST_LOGO);
        return encoded(whole(picture, this.#size), ["image/webp", "image/png"], 0.92);
      },
      open: async (picture) => ({ path: `${crypto.randomUUID()}.${ENDINGS[picture.type]!}` }),
    };
  }
}

/** @throws PictureError with the reason the file is refused */
async function readable(file: File, kind: PictureKind): Promise<Drawable> {
  if (file.size > LARGEST_FILE) throw new PictureError("This file is larger than 20 MB.");
  const picture = await drawableOf(file);
  const least = LEAST[kind];
  if (!picture.isVector && (picture.width < least.width || picture.height < least.height))
    throw new PictureError(
      `This picture is ${picture.width} by ${picture.height} pixels. It must be at least ${least.width} by ${least.height}.`,
    );
  return picture;
}
