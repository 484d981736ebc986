// A document under construction: US Letter pages, tagged for screen readers, in the festival's inks and typefaces. All measures are
// in points from the top left corner.
import PDFDocument from "pdfkit";
import { type Drawable, type FaceName, lettersOf, type OpenTypeface, typefacesFor } from "./lettering.ts";

export const PAGE = { width: 612, height: 792, margin: 40 } as const;
export const INNER = PAGE.width - 2 * PAGE.margin;

/** The festival's inks (style guide: Look). */
export const inks = {
  ink: "#17130F",
  soft: "#5C5244",
  candy: "#D7263D",
  slab: "#5B2A86",
  bayou: "#0E7C7B",
  brisket: "#F2A541",
  glow: "#F7C57F",
} as const;

interface Lettering {
  readonly face?: FaceName;
  readonly size: number;
  readonly color?: string;
  readonly width?: number;
  readonly align?: "left" | "right" | "center";
  /** The smallest size. A text that is too long for its lines shrinks to this size, then is cut. */
  readonly least?: number;
  /** If left out, as many as the text needs. */
  readonly lines?: number;
  /** Between lines, in ems. */
  readonly gap?: number;
  readonly spacing?: number;
  /** Its tag in the document's structure: a heading or a paragraph. */
  readonly tag?: "H1" | "H2" | "P";
}

export type Doc = PDFKit.PDFDocument;

export interface Sheet {
  readonly doc: Doc;
  /** The text as it will be drawn. */
  draw(text: string): Drawable;
  /** Begins a page. Yields to other work first: a long document must not hold up a sale. */
  page(): Promise<void>;
  /** Draws text at a position and returns its height. Replaces letters that cannot be drawn. */
  text(text: string, x: number, y: number, how: Lettering): number;
  /** The height that `text` would take. */
  height(text: string, how: Lettering): number;
  /** In the display face, if it has the letters. */
  heading(text: string, x: number, y: number, how: Lettering): number;
  /** Draws what screen readers skip. */
  decoration(draw: () => void): void;
  /** A picture, with its description. */
  picture(alt: string, draw: () => void): void;
  end(): Promise<Uint8Array<ArrayBuffer>>;
}

interface About {
  readonly title: string;
  readonly author: string;
  readonly at: Date;
  /** People's names, which may be in any letters. */
  readonly names: readonly string[];
}

export async function openSheet({ title, author, at, names }: About): Promise<Sheet> {
  const doc = newDocument(at);
  const files = await typefacesFor(names);
  const letters = lettersOf(new Map(files.map(([name, file]) => [name, register(doc, name, file)])));
  const [Title, Author] = [letters.plain(title), letters.plain(author)];
  Object.assign(doc.info, { Title, Author, Creator: Author });
  const file = collect(doc);
  let section: PDFKit.PDFStructureElement | undefined;

  const part = (tag: string, draw: () => void, says: { alt?: string; actual?: string } = {}) =>
    void section!.add(doc.struct(tag, says, draw));

  const text: Sheet["text"] = (words, x, y, how) => {
    const shown = letters.draw(words);
    if (shown.text === "") return 0;
    let height = 0;
    const draw = () => {
      height = set(doc, shown, x, y, how);
    };
    // Shaped or right-to-left letters are not on the page in reading order, so tag the actual text.
    part(how.tag ?? "P", draw, shown.system ? { actual: shown.text } : {});
    return height;
  };
  return {
    doc,
    draw: letters.draw,
    async page() {
      await new Promise((done) => setTimeout(done));
      section?.end();
      doc.addPage();
      section = doc.struct("Sect");
      doc.addStructure(section);
    },
    text,
    height: (words, how) => fit(doc, letters.draw(words), how).height,
    heading: (words, x, y, how) => text(words, x, y, { face: letters.headingFace(words), tag: "H2", ...how }),
    decoration(draw) {
      doc.markContent("Artifact", { type: "Layout" });
      doc.save();
      draw();
      doc.restore();
      doc.endMarkedContent();
    },
    picture: (alt, draw) => part("Figure", draw, { alt }),
    async end() {
      section?.end();
      doc.end();
      return file;
    },
  };
}

const newDocument = (at: Date): Doc =>
  new PDFDocument({
    size: "LETTER",
    margin: 0,
    autoFirstPage: false,
    // No default typeface: the library's own are files in its package, which the platform does not have.
    font: "",
    pdfVersion: "1.7",
    tagged: true,
    lang: "en-US",
    displayTitle: true,
    info: { CreationDate: at },
  });

/** A typeface as pdfkit has it open. */
interface Opened {
  readonly _font: { readonly font: OpenTypeface & { readonly _layoutEngine: Shaper } };
}

/** The part of fontkit that puts a mark where its letter has an anchor for it. */
interface Shaper {
  readonly engine?: {
    readonly GPOSProcessor?: {
      applyAnchor(mark: { readonly markAnchor: object | null }, anchor: object | null, letter: number): void;
    };
  };
}

/**
 * Opens a typeface. A letter may have no anchor for a mark, as in ਸਿੰਘ and శ్రీ; the mark then stays where it is. fontkit throws
 * (https://github.com/foliojs/fontkit/issues/367).
 */
function register(doc: Doc, name: string, file: Uint8Array): OpenTypeface {
  doc.registerFont(name, file).font(name);
  const { _font: opened } = doc as unknown as Opened;
  const { _layoutEngine: shaper } = opened.font;
  const placer = shaper.engine?.GPOSProcessor;
  if (placer) {
    const place = placer.applyAnchor.bind(placer);
    placer.applyAnchor = (mark, anchor, letter) => {
      if (mark.markAnchor && anchor) place(mark, anchor, letter);
    };
  }
  return opened.font;
}

/** Draws one text in its box, smaller or cut if it is too long, and returns its height. */
function set(doc: Doc, text: Drawable, x: number, y: number, how: Lettering): number {
  const { shown, points, height } = fit(doc, text, how);
  // The typeface applies the direction only to text that is not split into words.
  const inOrder = text.isRightToLeft ? shown.replaceAll(" ", "\u00a0") : shown;
  doc.fillColor(how.color ?? inks.ink).fontSize(points);
  doc.text(inOrder, x, y, { ...optionsAt(points, how), lineBreak: how.width !== undefined });
  return height;
}

const optionsAt = (points: number, { width, align = "left", gap = 0.1, spacing = 0 }: Lettering) => ({
  width,
  align,
  lineGap: gap * points,
  characterSpacing: spacing,
});

function fit(
  doc: Doc,
  { text, system, isRightToLeft }: Drawable,
  how: Lettering,
): { shown: string; points: number; height: number } {
  const { face = "regular", size, width } = how;
  // Right-to-left text stays on one line.
  const { least = size, lines } = isRightToLeft ? { least: size / 2, lines: 1 } : how;
  doc.font(system ?? face);
  const room = width === undefined || lines === undefined ? Infinity : width * lines;
  const breadth = (words: string, points: number) =>
    doc.fontSize(points).widthOfString(words, optionsAt(points, how));
  // Wrapping a long word shapes it again at every length it tries, so text that is too wide for its box is not wrapped.
  const measure = (words: string, points: number) =>
    breadth(words, points) > room
      ? Infinity
      : Math.round(
          doc.fontSize(points).heightOfString(words, optionsAt(points, how)) / lineHeight(doc, points, how),
        );
  let points = size;
  let taken = width === undefined ? 1 : measure(text, points);
  while (lines !== undefined && taken > lines && points > least) taken = measure(text, --points);
  let shown = text;
  for (let words = text; lines !== undefined && taken > lines; taken = measure(shown, points)) {
    const share = Math.min(0.95, room / breadth(shown, points));
    words = words.slice(0, Math.ceil(words.length * share) - 2).trimEnd();
    shown = `${words}…`;
  }
  return { shown, points, height: taken * lineHeight(doc, points, how) };
}

const lineHeight = (doc: Doc, points: number, { gap = 0.1 }: Lettering): number =>
  doc.fontSize(points).currentLineHeight(true) + gap * points;

function collect(doc: Doc): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  return new Promise((done, failed) => {
    doc.on("data", (chunk: Uint8Array) => chunks.push(chunk));
    doc.on("error", failed);
    doc.on("end", () => {
      const whole = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
      let at = 0;
      for (const chunk of chunks) {
        whole.set(chunk, at);
        at += chunk.length;
      }
      done(whole);
    });
  });
}
