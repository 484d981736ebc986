// The entry code of a ticket or parking permit: signed, drawn, stored and written to its row, once. The picture is in a public
// bucket under an unguessable name, so that mails and pages can show it without a sign-in.
import { signTicketToken } from "contract/tickets/ticket-token";
import QRCode from "qrcode";
import type { FunctionDeps } from "./deps.ts";
import { registeredKey } from "./entry-key.ts";
import { readFestival } from "./festival.ts";
import { rowsOf, rpc } from "./rpc.ts";

const BUCKET = "ticket-qr-codes";
/** The most that storage accepts in one call. */
const REMOVED_AT_ONCE = 1000;

/** The tables whose rows have entry codes. */
export type Coded = "tickets" | "parking_permits";

export interface CodedRow {
  readonly id: string;
  /** The ticket type or parking pass. */
  readonly type_id: string;
  readonly issue_number: number;
  readonly qr_code_data: string | null;
  readonly qr_code_url: string | null;
  readonly voided_at: string | null;
}

const state = "issue_number, qr_code_data, qr_code_url, voided_at";

/** The columns of a CodedRow. */
export const codedColumns = {
  tickets: `id, type_id:ticket_type_id, ${state}`,
  parking_permits: `id, type_id:parking_pass_id, ${state}`,
} as const satisfies Record<Coded, string>;

export interface QrCode {
  readonly token: string;
  readonly url: string;
  /** False if the code already existed. */
  readonly generated: boolean;
}

/** Of several concurrent calls, one wins and all return its code. Throws if the row was refunded. */
export async function ensureQrCode(deps: FunctionDeps, table: Coded, row: CodedRow): Promise<QrCode> {
  const named = `row ${row.id} of ${table}`;
  if (row.voided_at !== null) throw new Error(`${named} was refunded`);
  const existing = codeOf(row);
  if (existing) return existing;
  const token = await signTicketToken(
    {
      ticketId: row.id,
      ticketTypeId: row.type_id,
      issueNumber: row.issue_number,
      event: (await readFestival(deps)).code,
    },
    await registeredKey(deps),
  );
  const bucket = deps.supabase.storage.from(BUCKET);
  const path = `${row.id}/${unguessable()}.png`;
  const picture = new Blob([await drawQrCode(token)], { type: "image/png" });
  const { error } = await bucket.upload(path, picture, {
    contentType: "image/png",
    cacheControl: "31536000",
  });
  if (error) throw new Error(`storing the QR code of ${named}: ${error.message}`, { cause: error });
  const url = bucket.getPublicUrl(path).data.publicUrl;
  if (await note(deps, table, row, token, url)) return { token, url, generated: true };
  await bucket.remove([path]);
  const winner = await readCoded(deps, table, row.id);
  const code = winner && codeOf(winner);
  if (!code) throw new Error(`${named} was reissued or refunded while its QR code was made`);
  return code;
}

/**
 * Removes all pictures of void codes, or single pictures of codes that were reissued, whose new pictures may already exist.
 * Afterwards their URLs lead nowhere.
 */
export async function removeQrCodes(
  deps: FunctionDeps,
  work: { code_ids: string[] } | { pictures: string[] },
): Promise<void> {
  const pictures =
    "pictures" in work
      ? work.pictures
      : await rpc<string[]>(deps.supabase, "stored_qr_codes", { p_code_ids: work.code_ids });
  const bucket = deps.supabase.storage.from(BUCKET);
  for (let from = 0; from < pictures.length; from += REMOVED_AT_ONCE) {
    const { error } = await bucket.remove(pictures.slice(from, from + REMOVED_AT_ONCE));
    if (error) throw new Error(`removing QR codes: ${error.message}`, { cause: error });
  }
}

export async function drawQrCode(token: string): Promise<Uint8Array<ArrayBuffer>> {
  return Uint8Array.from(await QRCode.toBuffer(token, { errorCorrectionLevel: "M", margin: 4, scale: 8 }));
}

/** The ticket or permit with this id, if the user holds it; without a user, whoever holds it. */
export async function findCoded(
  deps: FunctionDeps,
  id: string,
  userId?: string,
): Promise<{ table: Coded; row: CodedRow } | null> {
  for (const table of ["tickets", "parking_permits"] as const) {
    const row = await readCoded(deps, table, id, userId);
    if (row) return { table, row };
  }
  return null;
}

function readCoded(deps: FunctionDeps, table: Coded, id: string, userId?: string): Promise<CodedRow | null> {
  const query = deps.supabase.from(table).select(codedColumns[table]).eq("id", id);
  return rowsOf(table, (userId === undefined ? query : query.eq("user_id", userId)).maybeSingle<CodedRow>());
}

function codeOf(row: CodedRow): QrCode | null {
  if (row.qr_code_url === null || row.qr_code_data === null) return null;
  return { token: row.qr_code_data, url: row.qr_code_url, generated: false };
}

async function note(
  deps: FunctionDeps,
  table: Coded,
  row: CodedRow,
  token: string,
  url: string,
): Promise<boolean> {
  const rows = await rowsOf<{ id: string }[]>(
    "QR code",
    deps.supabase
      .from(table)
      .update({ qr_code_data: token, qr_code_url: url })
      .eq("id", row.id)
      .eq("issue_number", row.issue_number)
      .is("qr_code_url", null)
      .select("id"),
  );
  return rows.length === 1;
}

function unguessable(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}
