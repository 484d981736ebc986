// Reads a PDF as people and gates do: the words on each page, and the codes a scanner finds on the printed page.
import { readFileSync } from "node:fs";
import { PDFiumLibrary } from "@hyzyla/pdfium";
import { prepareZXingModule, readBarcodes } from "zxing-wasm/reader";

interface Page {
  readonly text: string;
  /** The content of the page's QR codes, read at 100 dots an inch, in gray. */
  readonly codes: readonly string[];
}

/** About 100 dots an inch: a cheap printer has three times as many. */
const SCALE = 100 / 72;

prepareZXingModule({
  overrides: {
    wasmBinary: readFileSync(new URL(import.meta.resolve("zxing-wasm/reader/zxing_reader.wasm"))).buffer,
  },
});

export async function readPaper(file: Uint8Array): Promise<Page[]> {
  const library = await PDFiumLibrary.init();
  const document = await library.loadDocument(file);
  const pages: Page[] = [];
  for (let index = 0; index < document.getPageCount(); index++) {
    const text = document.getPage(index).getText();
    // Rendering closes the page.
    const { data, width, height } = await document.getPage(index).render({ scale: SCALE, render: "bitmap" });
    const image = { data: inGray(data), width, height, colorSpace: "srgb" } as Image;
    pages.push({ text, codes: await codesIn(image) });
  }
  document.destroy();
  library.destroy();
  return pages;
}

type Image = Parameters<typeof readBarcodes>[0];

/** The content of the picture's QR codes. */
export async function codesIn(picture: Image): Promise<string[]> {
  const found = await readBarcodes(picture, { formats: ["QRCode"] });
  return found.filter(({ isValid }) => isValid).map((code) => code.text);
}

function inGray(colors: Uint8Array): Uint8ClampedArray {
  const gray = new Uint8ClampedArray(colors.length).fill(255);
  for (let at = 0; at < colors.length; at += 4)
    gray[at] = 0.3 * colors[at]! + 0.59 * colors[at + 1]! + 0.11 * colors[at + 2]!;
  for (let at = 0; at < colors.length; at += 4) gray[at + 1] = gray[at + 2] = gray[at]!;
  return gray;
}
