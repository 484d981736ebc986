// A ticket's entry code: signed, drawn, stored and written to the ticket, once. The picture is in a public bucket under a name
// nobody can guess, so that a mail or a page shows it without signing in.
import { EVENT_CODE, signTicketToken } from "contract/ticket-token";
import QRCode from "qrcode";
import type { FunctionDeps } from "./deps.ts";
import { rowsOf } from "./rpc.ts";

const BUCKET = "ticket-qr-codes";

export interface CodedTicket {
  readonly id: string;
  readonly ticket_type_id: string;
  readonly issue_number: number;
  readonly qr_code_data: string | null;
  readonly qr_code_url: string | null;
  readonly voided_at: string | null;
}

export const codedTicketColumns = "id, ticket_type_id, issue_number, qr_code_data, qr_code_url, voided_at";

export interface QrCode {
  readonly token: string;
  readonly url: string;
  /** False when the ticket had one already. */
  readonly generated: boolean;
}

/** Of several calls at once, one wins and all return its code. A refunded ticket has none. */
export async function ensureQrCode(deps: FunctionDeps, ticket: CodedTicket): Promise<QrCode> {
  if (ticket.voided_at !== null) throw new Error(`ticket ${ticket.id} was refunded`);
  const existing = codeOf(ticket);
  if (existing) return existing;
  const token = await signTicketToken(
    {
      ticketId: ticket.id,
      ticketTypeId: ticket.ticket_type_id,
      issueNumber: ticket.issue_number,
      event: EVENT_CODE,
    },
    await deps.signingKey(),
  );
  const bucket = deps.supabase.storage.from(BUCKET);
  const path = `${ticket.id}/${unguessable()}.png`;
  const picture = new Blob([await drawQrCode(token)], { type: "image/png" });
  const { error } = await bucket.upload(path, picture, {
    contentType: "image/png",
    cacheControl: "31536000",
  });
  if (error)
    throw new Error(`storing the QR code of ticket ${ticket.id}: ${error.message}`, { cause: error });
  const url = bucket.getPublicUrl(path).data.publicUrl;
  if (await note(deps, ticket, token, url)) return { token, url, generated: true };
  await bucket.remove([path]);
  const winner = await findTicket(deps, ticket.id);
  const code = winner && codeOf(winner);
  if (!code) throw new Error(`ticket ${ticket.id} was reissued or refunded while its QR code was made`);
  return code;
}

/** Afterwards the old pictures' addresses lead nowhere. */
export async function removeQrCodes(deps: FunctionDeps, work: { code_ids: string[] }): Promise<void> {
  const bucket = deps.supabase.storage.from(BUCKET);
  for (const ticketId of work.code_ids) {
    const { data, error } = await bucket.list(ticketId);
    if (error)
      throw new Error(`listing the QR codes of ticket ${ticketId}: ${error.message}`, { cause: error });
    if (data.length === 0) continue;
    const removed = await bucket.remove(data.map(({ name }) => `${ticketId}/${name}`));
    if (removed.error) {
      throw new Error(`removing the QR codes of ticket ${ticketId}: ${removed.error.message}`, {
        cause: removed.error,
      });
    }
  }
}

export async function drawQrCode(token: string): Promise<Uint8Array<ArrayBuffer>> {
  return Uint8Array.from(await QRCode.toBuffer(token, { errorCorrectionLevel: "M", margin: 4, scale: 8 }));
}

export async function findTicket(
  deps: FunctionDeps,
  ticketId: string,
  userId?: string,
): Promise<CodedTicket | null> {
  const query = deps.supabase.from("tickets").select(codedTicketColumns).eq("id", ticketId);
  return rowsOf(
    "ticket",
    (userId === undefined ? query : query.eq("user_id", userId)).maybeSingle<CodedTicket>(),
  );
}

function codeOf(ticket: CodedTicket): QrCode | null {
  if (ticket.qr_code_url === null || ticket.qr_code_data === null) return null;
  return { token: ticket.qr_code_data, url: ticket.qr_code_url, generated: false };
}

async function note(deps: FunctionDeps, ticket: CodedTicket, token: string, url: string): Promise<boolean> {
  const rows = await rowsOf<{ id: string }[]>(
    "QR code",
    deps.supabase
      .from("tickets")
      .update({ qr_code_data: token, qr_code_url: url })
      .eq("id", ticket.id)
      .eq("issue_number", ticket.issue_number)
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
