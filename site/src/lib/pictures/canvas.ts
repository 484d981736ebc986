// Resizes pictures in the browser, which also removes the metadata that a camera wrote into the file.

/** The file is at fault. The message may be shown. */
export class PictureError extends Error {}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A drawable picture and its size. */
export interface Drawable extends Size {
  readonly source: CanvasImageSource;
  /** A vector picture, which may be enlarged. */
  readonly isVector: boolean;
}

/** @throws PictureError */
export async function drawableOf(file: File): Promise<Drawable> {
  try {
    if (file.type === "image/svg+xml") return await vectorOf(file);
    const source = await createImageBitmap(file, { imageOrientation: "from-image" });
    return { source, width: source.width, height: source.height, isVector: false };
  } catch (cause) {
    throw new PictureError("Your browser can't read this file as a picture.", { cause });
  }
}

/** createImageBitmap cannot read SVG. Loaded as an image, it runs no script. */
async function vectorOf(file: File): Promise<Drawable> {
  const source = new Image();
  source.src = URL.createObjectURL(file);
  try {
    await source.decode();
    // In some browsers, an SVG without a declared size has none.
    const [width, height] = [source.naturalWidth || 1, source.naturalHeight || 1];
    return { source, width, height, isVector: true };
  } finally {
    URL.revokeObjectURL(source.src);
  }
}

/** The largest size of this shape within the bounds. Only a vector is enlarged beyond its own size. */
export function fitting({ width, height, isVector }: Drawable, bounds: Size): Size {
  const fits = Math.min(bounds.width / width, bounds.height / height);
  const scale = isVector ? fits : Math.min(1, fits);
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/** The whole picture, scaled to this size. */
export function whole({ source }: Drawable, size: Size): HTMLCanvasElement {
  const canvas = Object.assign(document.createElement("canvas"), size);
  canvas.getContext("2d")!.drawImage(source, 0, 0, size.width, size.height);
  return canvas;
}

/** The center of the picture, cropped to fill the size, on a background that shows where it is transparent. */
export function middle(picture: Drawable, size: Size, ground: string): HTMLCanvasElement {
  const canvas = Object.assign(document.createElement("canvas"), size);
  const scale = Math.max(size.width / picture.width, size.height / picture.height);
  const [width, height] = [picture.width * scale, picture.height * scale];
  const pen = canvas.getContext("2d")!;
  pen.fillStyle = ground;
  pen.fillRect(0, 0, size.width, size.height);
  pen.drawImage(picture.source, (size.width - width) / 2, (size.height - height) / 2, width, height);
  return canvas;
}

/** In the first of these formats that the browser can write: some cannot write WebP. @throws PictureError */
export async function encoded(
  canvas: HTMLCanvasElement,
  types: readonly string[],
  quality: number,
): Promise<Blob> {
  for (const type of types) {
    const picture = await new Promise<Blob | null>((done) => canvas.toBlob(done, type, quality));
    if (picture?.type === type) return picture;
  }
  throw new PictureError("This picture could not be resized.");
}
