// Pictures made smaller in the browser, and so without what a camera wrote into the file.

/** The file is at fault. The message may be shown. */
export class PictureError extends Error {}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** What can be drawn, and how large it is. */
export interface Drawable extends Size {
  readonly source: CanvasImageSource;
  /** Drawn of lines: it may be made larger. */
  readonly isVector: boolean;
}

/** @throws PictureError */
export async function drawableOf(file: File): Promise<Drawable> {
  try {
    if (file.type === "image/svg+xml") return await vectorOf(file);
    const source = await createImageBitmap(file, { imageOrientation: "from-image" });
    return { source, width: source.width, height: source.height, isVector: false };
  } catch (cause) {
    throw new PictureError("This file is no picture that your browser can read.", { cause });
  }
}

/** createImageBitmap reads none; as an image it runs no script of its own. */
async function vectorOf(file: File): Promise<Drawable> {
  const source = new Image();
  source.src = URL.createObjectURL(file);
  try {
    await source.decode();
    // One that names no size has none in some browsers.
    const [width, height] = [source.naturalWidth || 1, source.naturalHeight || 1];
    return { source, width, height, isVector: true };
  } finally {
    URL.revokeObjectURL(source.src);
  }
}

/** The largest size of this shape within the bounds; never more than the picture has, unless it is a vector's. */
export function fitting({ width, height, isVector }: Drawable, bounds: Size): Size {
  const fits = Math.min(bounds.width / width, bounds.height / height);
  const scale = isVector ? fits : Math.min(1, fits);
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/** All of the picture, in this size. */
export function whole({ source }: Drawable, size: Size): HTMLCanvasElement {
  const canvas = Object.assign(document.createElement("canvas"), size);
  canvas.getContext("2d")!.drawImage(source, 0, 0, size.width, size.height);
  return canvas;
}

/** The middle of the picture, as much of it as fills the size, on a ground that shows where it is transparent. */
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

/** In the first of these formats that the browser writes: not every one writes WebP. @throws PictureError */
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
