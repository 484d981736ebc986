// Entry codes as they are read for mails, papers, wallets and pictures.
import type { EntryCode } from "./answers.ts";
import type { FunctionDeps } from "./deps.ts";

/** By kind, each in the order of purchase. Void ones admit nobody and are left out. */
export async function validCodes({ sql }: FunctionDeps, orderId: string): Promise<EntryCode[]> {
  const codes = await sql("read_codes", { p_order_id: orderId });
  return codes.filter(({ voided_at }) => voided_at === null);
}

/** The code with this id, void or not, if the user holds it; without a user, any holder's. */
export async function findCode(
  { sql }: FunctionDeps,
  id: string,
  holderId?: string,
): Promise<EntryCode | undefined> {
  const [code] = await sql("read_codes", { p_id: id });
  return holderId === undefined || code?.user_id === holderId ? code : undefined;
}
