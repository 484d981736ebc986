// Reads a PDF as people and gates do: the words on each page, and the codes a scanner finds on the printed page.
import { readFileSync } from "node:fs";
import { PDFiumLibrary } from "@hyzyla/pdfium";
import { prepareZXingModule, readBarcodes } from "zxing-wasm/reader";

interface Page {
  readonly text: string;
  /** The content of the page's QR codes, read at 100 dots an inch, in grey. */
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
    const image = { data: inGrey(data), width, height, colorSpace: "srgb" } as Image;
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

function inGrey(colours: Uint8Array): Uint8ClampedArray {
  const grey = new Uint8ClampedArray(colours.length).fill(255);
  for (let at = 0; at < colours.length; at += 4)
    grey[at] = 0.3 * colours[at]! + 0.59 * colours[at + 1]! + 0.11 * colours[at + 2]!;
  for (let at = 0; at < colours.length; at += 4) grey[at + 1] = grey[at + 2] = grey[at]!;
  return grey;
}
