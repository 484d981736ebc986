// Collects the content of the mails about transfers and corrections.
import type { FunctionDeps } from "../_shared/deps.ts";
import { findCode, validCodes } from "../_shared/entry-codes.ts";
import { readFestival } from "../_shared/festival.ts";
import {
  acceptedMail,
  expiredMail,
  offerMail,
  replacedMail,
  ticketMail,
  type TicketMailReason,
  type TransferNews,
  withdrawnMail,
} from "../_shared/mail/transfer-mails.ts";
import { rowsOf } from "../_shared/database.ts";
import { draw, isValid, readOrder } from "./send-order-mails.ts";

interface TransferRow {
  readonly offer_id: string;
  readonly ticket_name: string;
  readonly from_name: string;
  readonly to_name: string;
  readonly to_email: string;
  readonly state: string;
}

/** An offer that ended before its mail went out is not mailed. */
export async function sendTransferMail(
  deps: FunctionDeps,
  work: { transfer_ids: string[]; news: TransferNews; email: string },
): Promise<void> {
  const rows = await rowsOf<TransferRow[]>(
    "transfers",
    deps.supabase
      .from("ticket_transfers")
      .select("offer_id, ticket_name, from_name, to_name, to_email, state")
      .in("id", work.transfer_ids)
      .order("ticket_name"),
  );
  const [first] = work.news === "offered" ? rows.filter(({ state }) => state === "offered") : rows;
  if (!first) return;
  const transfer = {
    fromName: first.from_name,
    toName: first.to_name,
    toEmail: first.to_email,
    tickets: rows.filter(({ state }) => state === first.state).map(({ ticket_name }) => ticket_name),
  };
  const festival = await readFestival(deps);
  if (work.news === "offered") {
    const link = await linkOf(deps, first.offer_id);
    if (!link) return;
    const closesAt = new Date(await deps.sql("transfers_close_at", {}));
    await deps.sendMail(await offerMail(festival, transfer, link, closesAt));
  } else if (work.news === "withdrawn") await deps.sendMail(await withdrawnMail(festival, transfer));
  else if (work.news === "accepted") await deps.sendMail(await acceptedMail(festival, work.email, transfer));
  else await deps.sendMail(await expiredMail(festival, work.email, transfer, deps.siteUrl));
}

/** The link is the same at every attempt, and only the hash of its token is stored. Undefined if the offer has ended. */
async function linkOf(deps: FunctionDeps, offerId: string): Promise<string | undefined> {
  const token = await deps.hmac(`ticket-transfer:${offerId}`);
  const armed = await deps.sql("arm_transfer", { p_offer_id: offerId, p_token: token });
  return armed ? `${deps.siteUrl}/transfer#${token}` : undefined;
}

/** Only tickets that still have this address: some may have been passed on since. */
export async function sendTicketMail(
  deps: FunctionDeps,
  work: { order_id: string; ticket_ids: string[]; email: string; why: TicketMailReason },
): Promise<void> {
  if (!isValid(await readOrder(deps, work.order_id))) return;
  const tickets = (await validCodes(deps, work.order_id)).filter(
    ({ id, attendee_email }) =>
      work.ticket_ids.includes(id) && attendee_email?.toLowerCase() === work.email.toLowerCase(),
  );
  if (tickets.length === 0) return;
  await deps.sendMail(
    await ticketMail(await readFestival(deps), work.email, work.why, await draw(deps, tickets), deps.siteUrl),
  );
}

export async function sendReplacedMail(
  deps: FunctionDeps,
  work: { email: string; ticket_id: string; attendee: string },
): Promise<void> {
  const code = await findCode(deps, work.ticket_id);
  if (!code) throw new Error(`there is no ticket ${work.ticket_id}`);
  const ticket = { id: code.id, ticketName: code.products.name, attendee: work.attendee };
  await deps.sendMail(await replacedMail(await readFestival(deps), work.email, ticket));
}
