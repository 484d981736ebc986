// The documents' artwork: the poster header, and entry codes drawn as vector squares, crisp at any size. Everything is in flat inks
// that stay distinct on a black-and-white printer.
import { modulesOf, QUIET } from "../qr-picture.ts";
import { type Doc, INNER, inks, PAGE } from "./sheet.ts";

/** The towers of the site's skyline, 1400 by 520. */
const TOWERS =
  "M150 520V300l62-34v254ZM222 520V252h66v268ZM300 520V250l74-66v336ZM382 520V184l70 66v270ZM464 520V196h14v-22h14v-22h14v-22h30" +
  "v22h14v22h14v22h14v324ZM590 520V150q0-54 52-58h42v428ZM696 520V58l22-16h70v478ZM802 520V290h8l22-46 22 46h6V214h8l24-50 24 50" +
  "h6v-68h8l28-58 28 58h8v374ZM1010 520V228q40-40 80 0v292ZM1102 520V276h72v244ZM1186 520V330l60-30v220ZM1256 520V366h66v154Z" +
  "M60 520V360h80v160Z";

export const HEAD = { top: 36, height: 108 } as const;
/** The sun's position in the header. */
const SUN = { x: PAGE.margin + INNER - 150, y: HEAD.top + HEAD.height - 6 };

/** The festival's poster across the top: sun, rays and downtown. Leaves the left 300 points to the title. */
export function drawHead(doc: Doc): void {
  doc.rect(PAGE.margin, HEAD.top, INNER, HEAD.height).clip();
  doc.rect(PAGE.margin, HEAD.top, INNER, HEAD.height).fill(inks.brisket);
  drawRays(doc, SUN.x, SUN.y, 620, 22);
  doc.circle(SUN.x, SUN.y, 64).fill(inks.candy);
  doc.save();
  doc.translate(PAGE.margin + INNER - 292, HEAD.top + HEAD.height - 84).scale(0.2, 0.162);
  doc.path(TOWERS).fill(inks.ink);
  doc.restore();
  doc.lineWidth(4).rect(PAGE.margin, HEAD.top, INNER, HEAD.height).stroke(inks.ink);
}

function drawRays(doc: Doc, x: number, y: number, radius: number, count: number): void {
  const at = (angle: number): [number, number] => [
    x + radius * Math.cos(angle),
    y + radius * Math.sin(angle),
  ];
  const step = Math.PI / count;
  for (let index = 0; index < count; index++) {
    const angle = index * 2 * step;
    doc
      .moveTo(x, y)
      .lineTo(...at(angle))
      .lineTo(...at(angle + step))
      .closePath();
  }
  doc.fill(inks.glow);
}

/** Draws the code and its quiet zone as a square with this side. */
export function drawCode(doc: Doc, token: string, x: number, y: number, side: number): void {
  const modules = modulesOf(token);
  const module = side / (modules.size + 2 * QUIET);
  doc.rect(x, y, side, side).fill("#FFFFFF");
  for (let row = 0; row < modules.size; row++) {
    for (let from = 0; from < modules.size; from++) {
      let to = from;
      while (to < modules.size && modules.get(row, to)) to++;
      // Merge neighbors into one bar: no seams, and a smaller file.
      if (to > from)
        doc.rect(x + (from + QUIET) * module, y + (row + QUIET) * module, (to - from) * module, module);
      from = to;
    }
  }
  doc.fill("#000000");
}
