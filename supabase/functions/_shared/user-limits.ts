// Limits on requests that cost a provider call or a picture, per buyer in a sliding minute across all processes (PRODUCT 11.1). The
// limit on orders is counted from the orders themselves, in reserve_orders.
import type { FunctionDeps } from "./deps.ts";
import { FunctionError } from "./errors.ts";

const WINDOW_SECONDS = 60;
const MOST_PAYMENTS = 3;
const MOST_QR_CODES = 10;
const MOST_DOCUMENTS = 10;
const MOST_WALLET_FILES = 10;

/** Counts payments, not calls: repeated calls about one payment do not use up the buyer's limit. */
export async function limitPayments(deps: FunctionDeps, userId: string, payment: string): Promise<void> {
  const asked = {
    key: `payment:${userId}`,
    subject: payment,
    limit: MOST_PAYMENTS,
    window_seconds: WINDOW_SECONDS,
  };
  const [allowed] = await deps.sql("consume_subject_limits", { p_asked: [asked] });
  if (!allowed) throw refused("Too many payment attempts. Please wait a minute and try again.");
}

export async function limitQrCodes(deps: FunctionDeps, userId: string): Promise<void> {
  const allowed = await deps.sql("consume_rate_limit", {
    p_key: `qr:${userId}`,
    p_limit: MOST_QR_CODES,
    p_window_seconds: WINDOW_SECONDS,
  });
  if (!allowed) throw refused("Too many entry codes at once. Please wait a minute and try again.");
}

export async function limitDocuments(deps: FunctionDeps, userId: string): Promise<void> {
  const allowed = await deps.sql("consume_rate_limit", {
    p_key: `documents:${userId}`,
    p_limit: MOST_DOCUMENTS,
    p_window_seconds: WINDOW_SECONDS,
  });
  if (!allowed) throw refused("Too many documents at once. Please wait a minute and try again.");
}

/** Per ticket: a phone follows the link to its file without a token. */
export async function limitWalletFiles(deps: FunctionDeps, passId: string): Promise<void> {
  const allowed = await deps.sql("consume_rate_limit", {
    p_key: `wallet:${passId}`,
    p_limit: MOST_WALLET_FILES,
    p_window_seconds: WINDOW_SECONDS,
  });
  if (!allowed) throw refused("This ticket was fetched too often. Please wait a minute and try again.");
}

function refused(message: string): FunctionError {
  return new FunctionError("rate_limited", message, { details: { retry_after_seconds: WINDOW_SECONDS } });
}
