// An entry code: signed and written to its row, once, with the URL of its picture, which is drawn whenever it is asked for (decision
// 006).
import { signTicketToken } from "contract/tickets/ticket-token";
import type { CodeToSign } from "./answers.ts";
import type { FunctionDeps } from "./deps.ts";
import { registeredKey } from "./entry-key.ts";
import { FunctionError } from "./errors.ts";

export interface QrCode {
  readonly token: string;
  readonly url: string;
  /** False if the code already existed. */
  readonly generated: boolean;
}

/** The row was refunded or reissued after the caller read it. This happens in any busy hour, and nothing is broken. */
class CodeChanged extends FunctionError {
  constructor() {
    super("concurrent_request", "This ticket has just changed. Please try again.");
  }
}

/** Work that could not be done for lack of a code: an error, unless only the code had changed meanwhile. */
export function logFailure(
  log: FunctionDeps["log"],
  error: unknown,
  fields: Readonly<Record<string, unknown>>,
  message: string,
): void {
  log[error instanceof CodeChanged ? "info" : "error"]({ err: error, ...fields }, message);
}

export async function ensureQrCode(deps: FunctionDeps, row: CodeToSign): Promise<QrCode> {
  const [code] = await ensureQrCodes(deps, [row]);
  return code!;
}

/** In the order of the rows. Throws CodeChanged if one of them was refunded or reissued. */
export async function ensureQrCodes(deps: FunctionDeps, rows: readonly CodeToSign[]): Promise<QrCode[]> {
  return codesFor(rows, await issueQrCodes(deps, rows));
}

/** By the rows' ids. Those that were refunded or reissued meanwhile are left out. */
export async function issueQrCodes(
  deps: FunctionDeps,
  rows: readonly CodeToSign[],
): Promise<Map<string, QrCode>> {
  const issued = await issue(
    deps,
    rows.filter((row) => !codeOf(row)),
  );
  for (const row of rows) {
    const code = codeOf(row);
    if (code) issued.set(row.id, code);
  }
  return issued;
}

/** In the order of the rows. Throws CodeChanged if one is missing. */
export const codesFor = (
  rows: readonly { readonly id: string }[],
  issued: ReadonlyMap<string, QrCode>,
): QrCode[] =>
  rows.map(({ id }) => {
    const code = issued.get(id);
    if (!code) throw new CodeChanged();
    return code;
  });

/** The same code at a new URL, because the one in the row does not open its picture: the site has moved, for example. */
export async function renewQrCode(deps: FunctionDeps, row: CodeToSign): Promise<string> {
  return codesFor([row], await issue(deps, [row]))[0]!.url;
}

/** Of several concurrent calls, one wins and all return its codes. */
async function issue(deps: FunctionDeps, rows: readonly CodeToSign[]): Promise<Map<string, QrCode>> {
  const valid = rows.filter(({ voided_at }) => voided_at === null);
  if (valid.length === 0) return new Map();
  const codes = await Promise.all(
    valid.map(async (row) => ({
      id: row.id,
      issue_number: row.issue_number,
      old_url: row.qr_code_url,
      token: row.qr_code_data ?? (await sign(deps, row)),
      url: `${deps.functionsUrl}/qr-picture?code=${row.id}&key=${unguessable()}`,
    })),
  );
  const written = await deps.sql("write_codes", { p_codes: codes });
  const generated = new Set(codes.map(({ url }) => url));
  return new Map(written.map(({ id, token, url }) => [id, { token, url, generated: generated.has(url) }]));
}

async function sign(
  deps: FunctionDeps,
  { id, product_id, issue_number, event }: CodeToSign,
): Promise<string> {
  const claims = { ticketId: id, ticketTypeId: product_id, issueNumber: issue_number, event };
  return signTicketToken(claims, await registeredKey(deps));
}

function codeOf(row: CodeToSign): QrCode | undefined {
  if (row.voided_at !== null || row.qr_code_url === null || row.qr_code_data === null) return undefined;
  return { token: row.qr_code_data, url: row.qr_code_url, generated: false };
}

function unguessable(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}
