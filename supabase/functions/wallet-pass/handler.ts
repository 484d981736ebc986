// Tickets in a phone's wallet. Reports which wallets the organizer has keys for, gives a ticket's holder the way into one, and
// serves Apple's link, which a phone follows without a token, by the link's own signature.
import { walletPassSchema } from "contract/schemas";
import { z } from "zod";
import type { FunctionDeps } from "../_shared/deps.ts";
import { findCode } from "../_shared/entry-codes.ts";
import { FunctionError } from "../_shared/errors.ts";
import { readFestival } from "../_shared/festival.ts";
import { liveCaller, publicFunction, readBody } from "../_shared/handler.ts";
import { type Pass, passOf } from "../_shared/passes.ts";
import { ensureQrCode } from "../_shared/qr-code.ts";
import { sameText } from "../_shared/same-text.ts";
import { limitDocuments, limitWalletFiles } from "../_shared/user-limits.ts";
import { applePass } from "./apple.ts";
import { googleLink } from "./google.ts";
import type { WalletTicket } from "./ticket.ts";

/** Long enough for a slow phone, too short to be passed around. */
const LINK_MS = 10 * 60_000;

export const handler = publicFunction(
  async (request, deps) => {
    if (request.method === "POST") return offerPass(request, deps);
    const asked = new URL(request.url).searchParams;
    return asked.has("pass") ? appleFile(asked, deps) : offers(deps);
  },
  ["GET", "POST"],
);

function offers(deps: FunctionDeps) {
  const { apple, google } = deps.wallets();
  return { apple: apple !== undefined, google: google !== undefined };
}

async function offerPass(request: Request, deps: FunctionDeps) {
  const caller = await liveCaller(request, deps);
  if (!caller) throw new FunctionError("unauthorized", "Please sign in first.");
  const { passId, wallet } = await readBody(request, walletPassSchema);
  const { apple, google } = deps.wallets();
  if (!(wallet === "apple" ? apple : google))
    throw new FunctionError("not_found", "This wallet is not offered.");
  await limitDocuments(deps, caller.userId);
  const pass = await findPass(deps, passId, caller.userId);
  if (wallet === "google" && google) return { address: await googleLink(google, await ticketOf(deps, pass)) };
  const until = String(deps.now() + LINK_MS);
  // The id as the database writes it: the same id in capitals would have another signature.
  const { id } = pass.row;
  return {
    query: new URLSearchParams({ pass: id, until, signature: await sign(deps, id, until) }).toString(),
  };
}

/** The issue number is signed too, so that a reissue or a transfer ends the link along with the code it leads to. */
async function sign(deps: FunctionDeps, passId: string, until: string): Promise<string> {
  const { row } = await findPass(deps, passId);
  return deps.hmac(`wallet:${passId}:${row.issue_number}:${until}`);
}

async function appleFile(asked: URLSearchParams, deps: FunctionDeps): Promise<Response> {
  const [passId = "", until = "", signature = ""] = ["pass", "until", "signature"].map(
    (name) => asked.get(name) ?? "",
  );
  const { apple } = deps.wallets();
  if (
    !apple ||
    !z.uuid().safeParse(passId).success ||
    Number(until) < deps.now() ||
    !sameText(await sign(deps, passId, until), signature)
  ) {
    throw new FunctionError("forbidden", "This link has ended. Open My Tickets and press the button again.");
  }
  await limitWalletFiles(deps, passId);
  const file = await applePass(apple, await ticketOf(deps, await findPass(deps, passId)));
  return new Response(file, {
    headers: {
      "content-type": "application/vnd.apple.pkpass",
      "content-disposition": `attachment; filename="ticket-${passId.slice(0, 8)}.pkpass"`,
      "cache-control": "no-store",
    },
  });
}

async function findPass(deps: FunctionDeps, id: string, holderId?: string): Promise<Pass> {
  const code = await findCode(deps, id, holderId);
  if (!code || code.voided_at !== null)
    throw new FunctionError("ticket_not_found", "We couldn't find this ticket.");
  return passOf(code);
}

async function ticketOf(deps: FunctionDeps, pass: Pass): Promise<WalletTicket> {
  return {
    festival: await readFestival(deps),
    siteUrl: deps.siteUrl,
    id: pass.row.id,
    issueNumber: pass.row.issue_number,
    orderId: pass.row.order_id,
    kind: pass.kind,
    name: pass.name,
    holder: pass.holder,
    token: (await ensureQrCode(deps, pass.row)).token,
  };
}
