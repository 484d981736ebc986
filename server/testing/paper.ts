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

export async function readPaper(file: Uint8Array): Promise<Page[]> {
  const library = await PDFiumLibrary.init();
  prepareZXingModule({
    overrides: {
      wasmBinary: readFileSync(new URL(import.meta.resolve("zxing-wasm/reader/zxing_reader.wasm"))).buffer,
    },
  });
  const document = await library.loadDocument(file);
  const pages: Page[] = [];
  for (let index = 0; index < document.getPageCount(); index++) {
    const text = document.getPage(index).getText();
    // Rendering closes the page.
    const { data, width, height } = await document.getPage(index).render({ scale: SCALE, render: "bitmap" });
    const found = await readBarcodes(
      { data: inGrey(data), width, height, colorSpace: "srgb" } as Parameters<typeof readBarcodes>[0],
      {
        formats: ["QRCode"],
      },
    );
    pages.push({ text, codes: found.filter(({ isValid }) => isValid).map((code) => code.text) });
  }
  document.destroy();
  library.destroy();
  return pages;
}

function inGrey(colours: Uint8Array): Uint8ClampedArray {
  const grey = new Uint8ClampedArray(colours.length).fill(255);
  for (let at = 0; at < colours.length; at += 4)
    grey.fill(0.3 * colours[at]! + 0.59 * colours[at + 1]! + 0.11 * colours[at + 2]!, at, at + 3);
  return grey;
}
