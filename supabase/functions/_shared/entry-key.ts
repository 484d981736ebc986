// The key that signs entry codes. Its public half is stored in the database before it signs anything, so that gates know it and
// keep knowing it after another key replaces it.
import type { TicketKey } from "contract/tickets/ticket-token";
import type { FunctionDeps } from "./deps.ts";
import { rowsOf } from "./database.ts";

const registered = new WeakSet<TicketKey>();

export async function registeredKey(deps: FunctionDeps): Promise<TicketKey> {
  const { id, key, publicJwk } = await deps.signingKey();
  if (registered.has(key)) return key;
  const row = { id, public_jwk: publicJwk };
  await rowsOf("entry key", deps.supabase.from("entry_keys").upsert(row, { ignoreDuplicates: true }));
  registered.add(key);
  return key;
}
