// Tickets and all else with an entry code on paper, one per page: who and what, the code, what it includes, when and where, and the terms.
import type { Festival } from "contract/festival/facts";
import type { ProductKind } from "contract/shop/kinds";
import { drawCode, drawHead, HEAD } from "./art.ts";
import { INNER, inks, openSheet, PAGE, type Sheet } from "./sheet.ts";
import { momentText } from "./words.ts";

interface PrintedPass {
  readonly kind: ProductKind;
  readonly id: string;
  /** The name of the product. */
  readonly name: string;
  readonly description: string;
  readonly isVip: boolean;
  /** Who or what it admits. */
  readonly holder: string;
  readonly token: string;
  /** Its position among the order's printed passes, from 1. */
  readonly number: number;
}

export interface TicketPapers {
  readonly festival: Festival;
  /** What every ticket includes, in a few words each. */
  readonly included: readonly string[];
  readonly orderId: string;
  readonly passes: readonly PrintedPass[];
  /** How many passes the order prints, including those in this file. */
  readonly total: number;
  readonly siteUrl: string;
  readonly at: Date;
}

const LEFT = PAGE.margin;
const BODY = HEAD.top + HEAD.height;
const CODE = 232;
const CODE_LEFT = PAGE.margin + INNER - CODE - 16;
const TEXT = CODE_LEFT - LEFT - 54;
/** The stub ends here; what is below may be torn off. */
const STUB_END = BODY + 318;

export async function printTickets(papers: TicketPapers): Promise<Uint8Array<ArrayBuffer>> {
  const { festival, orderId, at } = papers;
  const sheet = await openSheet({
    title: `Tickets for ${festival.title}, order ${orderId.slice(0, 8)}`,
    author: festival.organizer,
    at,
    names: papers.passes.map(({ holder }) => holder),
  });
  for (const pass of papers.passes) {
    await sheet.page();
    drawPass(sheet, papers, pass);
  }
  return sheet.end();
}

function drawPass(sheet: Sheet, papers: TicketPapers, pass: PrintedPass): void {
  drawTitle(sheet, papers.festival);
  sheet.decoration(() => drawFrame(sheet, pass));
  drawHolder(sheet, papers, pass);
  drawEntry(sheet, pass);
  drawBelow(sheet, papers, pass);
  drawFoot(sheet, papers, pass);
}

export function drawTitle(sheet: Sheet, festival: Festival): void {
  sheet.decoration(() => drawHead(sheet.doc));
  const x = LEFT + 20;
  const tagline = { face: "bold", size: 11, width: 260, lines: 1, spacing: 1.2 } as const;
  sheet.text(festival.tagline.toUpperCase(), x, HEAD.top + 16, tagline);
  sheet.heading(festival.title.toUpperCase(), x, HEAD.top + 33, {
    size: 31,
    least: 16,
    width: 262,
    lines: 2,
    gap: -0.2,
    tag: "H1",
  });
}

/** The stub's border, and a band whose ink and hatching distinguish the kinds, even in grayscale. */
function drawFrame({ doc }: Sheet, { kind, isVip }: PrintedPass): void {
  const color = !kind.needs_attendee ? inks.bayou : isVip ? inks.slab : inks.candy;
  doc.rect(LEFT, BODY, 12, STUB_END - BODY).fill(color);
  doc
    .lineWidth(2)
    .rect(LEFT, BODY, INNER, STUB_END - BODY)
    .stroke(inks.ink);
  doc
    .moveTo(CODE_LEFT - 16, BODY + 1)
    .lineTo(CODE_LEFT - 16, STUB_END - 1)
    .dash(5, { space: 5 })
    .stroke(inks.ink)
    .undash();
}

function drawHolder(sheet: Sheet, { festival, orderId }: TicketPapers, pass: PrintedPass): void {
  const x = LEFT + 28;
  let y = BODY + 20;
  const kind = `${pass.isVip ? "vip " : ""}${pass.kind.label}`.toUpperCase();
  y += sheet.text(kind, x, y, { face: "bold", size: 10, color: inks.soft, spacing: 1.5, width: TEXT }) + 2;
  y +=
    sheet.heading(pass.name.toUpperCase(), x, y, { size: 36, least: 18, width: TEXT, lines: 3, gap: -0.2 }) +
    10;
  const { text, isRespelled: respelled } = sheet.draw(pass.holder);
  const holder = text === "" ? "Name as entered in the order" : pass.holder;
  y +=
    sheet.text(holder, x, y, { face: "bold", size: 19, least: 11, width: TEXT, lines: respelled ? 2 : 3 }) +
    2;
  if (respelled)
    sheet.text("Written here in Latin letters. The order has the name as it was entered.", x, y, {
      size: 8.5,
      color: inks.soft,
      width: TEXT,
    });
  const facts = [
    ["When", `${festival.dateText}\n${festival.hoursText}`],
    ["Where", `${festival.grounds}\n${festival.contactAddress}`],
    ["Order", orderId.slice(0, 8)],
  ] as const;
  let at = STUB_END - 122;
  for (const [what, words] of facts) {
    sheet.text(what, x, at, { size: 10.5, color: inks.soft, width: 48 });
    for (const line of words.split("\n"))
      at += sheet.text(line, x + 48, at, { face: "bold", size: 10.5, width: TEXT - 48, lines: 2 });
    at += 6;
  }
}

function drawEntry(sheet: Sheet, pass: PrintedPass): void {
  sheet.picture(`Entry code of ${sheet.draw(pass.holder).text || pass.name}`, () =>
    drawCode(sheet.doc, pass.token, CODE_LEFT, BODY + 16, CODE),
  );
  const y = BODY + 16 + CODE;
  const under = { width: CODE, align: "center" } as const;
  sheet.text(`No. ${pass.id.slice(0, 8)}`, CODE_LEFT, y + 2, { ...under, face: "bold", size: 14 });
  sheet.text(`Admits one ${pass.kind.admits}, one time.`, CODE_LEFT, y + 23, { ...under, size: 10.5 });
}

function drawBelow(sheet: Sheet, { festival, included, siteUrl }: TicketPapers, pass: PrintedPass): void {
  const half = INNER / 2 - 14;
  const right = LEFT + INNER / 2 + 14;
  const top = STUB_END + 26;
  const { label, needs_attendee: isTicket, is_vehicle: isVehicle } = pass.kind;
  sheet.heading("WHAT IT INCLUDES", LEFT, top, { size: 17, width: half });
  const rows = isTicket ? [pass.description, ...included] : [pass.description];
  drawPoints(
    sheet,
    rows.filter((row) => row !== ""),
    LEFT,
    top + 24,
    half,
  );
  sheet.heading("GOOD TO KNOW", right, top, { size: 17, width: half });
  const terms = [
    `Whoever shows this code first gets in, so keep it private and don't post it.`,
    `If refunded, this ${label} is void.${isTicket ? " If transferred, a new code replaces this one." : ""}`,
    ...(isVehicle ? ["Place this page on your dashboard, with the code facing up."] : []),
    ...(isTicket
      ? [
          "Bring a photo ID. Alcohol is for guests aged 21 and over.",
          `You can transfer it until ${festival.transferDays} days before the festival.`,
        ]
      : ["It stays with the buyer and can't be transferred."]),
    `Terms: ${siteUrl.replace(/^https?:\/\//, "")}/terms`,
    `Questions: ${festival.contact.email}, ${festival.contact.phone.replaceAll(" ", "\u00a0")}`,
  ];
  drawPoints(sheet, terms, right, top + 24, half);
}

function drawPoints(sheet: Sheet, points: readonly string[], x: number, top: number, width: number): void {
  let y = top;
  for (const point of points) {
    if (y > PAGE.height - 84) return;
    sheet.decoration(() => sheet.doc.rect(x, y + 4.5, 4, 4).fill(inks.ink));
    y += sheet.text(point, x + 12, y, { size: 10, width: width - 12, lines: 5 }) + 5;
  }
}

function drawFoot(sheet: Sheet, { festival, total, at }: TicketPapers, pass: PrintedPass): void {
  const y = PAGE.height - 48;
  sheet.decoration(() => sheet.doc.rect(LEFT, y - 8, INNER, 1).fill(inks.ink));
  const small = { size: 8.5, color: inks.soft } as const;
  sheet.text(`${festival.organizer}. Issued ${momentText(at)}.`, LEFT, y, {
    ...small,
    width: INNER - 80,
    lines: 1,
  });
  sheet.text(`${pass.number} of ${total}`, LEFT + INNER - 80, y, { ...small, width: 80, align: "right" });
}
