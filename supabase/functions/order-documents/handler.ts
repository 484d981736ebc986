// An order on paper: its tickets and parking permits, one per page, for their holders, and the receipt for its buyer.
// Administrators get both; finance gets only the receipt, which has no entry code.
import { orderDocumentSchema } from "contract/schemas";
import type { FunctionDeps, SignedInUser } from "../_shared/deps.ts";
import type { PrintJob } from "../_shared/documents/print.ts";
import { FunctionError } from "../_shared/errors.ts";
import { validCodes } from "../_shared/entry-codes.ts";
import { readContent } from "../_shared/festival.ts";
import { readBody, userFunction } from "../_shared/handler.ts";
import { passOf } from "../_shared/passes.ts";
import { ensureQrCodes } from "../_shared/qr-code.ts";
import { officeRole } from "../_shared/staff.ts";
import { limitDocuments } from "../_shared/user-limits.ts";
import { passesInFile } from "contract/tickets/documents";

export const handler = userFunction(async (request, deps, caller) => {
  const { orderId, document, part } = await readBody(request, orderDocumentSchema);
  await limitDocuments(deps, caller.userId);
  const job =
    document === "tickets"
      ? await tickets(deps, caller, orderId, part)
      : await receipt(deps, caller, orderId);
  // Only this function loads the printer, and only on a host without threads.
  const print = deps.print ?? (await import("../_shared/documents/print.ts")).print;
  const file = await print(job);
  const name = [document, orderId.slice(0, 8), ...(part > 1 ? [part] : [])].join("-");
  return new Response(file, {
    headers: {
      "content-type": "application/pdf",
      "content-disposition": `attachment; filename="${name}.pdf"`,
      "cache-control": "no-store",
    },
  });
});

async function tickets(
  deps: FunctionDeps,
  caller: SignedInUser,
  orderId: string,
  part: number,
): Promise<PrintJob> {
  const role = await officeRole(deps, caller);
  const codes = await validCodes(deps, orderId);
  const all = role === "admin" ? codes : codes.filter(({ user_id }) => user_id === caller.userId);
  const first = (part - 1) * passesInFile;
  const passes = all.slice(first, first + passesInFile).map(passOf);
  if (passes.length === 0) {
    throw new FunctionError("ticket_not_found", "You have no tickets in this order.");
  }
  const { festival, tickets: words } = await readContent(deps);
  const issued = await ensureQrCodes(
    deps,
    passes.map(({ row }) => row),
  );
  return {
    document: "tickets",
    festival,
    included: words.included.map(({ title }) => title),
    orderId,
    passes: passes.map(({ row, ...pass }, index) => ({
      ...pass,
      id: row.id,
      token: issued[index]!.token,
      number: first + index + 1,
    })),
    total: all.length,
    siteUrl: deps.siteUrl,
    at: new Date(deps.now()),
  };
}

async function receipt(deps: FunctionDeps, caller: SignedInUser, orderId: string): Promise<PrintJob> {
  const order = await deps.sql("read_order", { p_order_id: orderId });
  const isTheirs =
    order !== null && (order.user_id === caller.userId || (await officeRole(deps, caller)) !== null);
  if (!isTheirs) throw new FunctionError("order_not_found", "We couldn't find this order.");
  const payments = order.payments.filter(({ status }) => status !== "failed");
  if (order.confirmed_at === null && payments.length === 0) {
    throw new FunctionError("payment_not_completed", "This order has not been paid, so it has no receipt.");
  }
  const { festival } = await readContent(deps);
  const refunds = order.refunds.filter(({ status }) => status !== "failed");
  return {
    document: "receipt",
    festival,
    order: { ...order, payments, refunds },
    at: new Date(deps.now()),
  };
}
