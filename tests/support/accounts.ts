// Accounts for tests that are not about signing up: made by the service, confirmed, with an address nobody else has.
import { randomBytes } from "node:crypto";
import { createClient } from "@supabase/supabase-js";

export interface Account {
  readonly id: string;
  readonly email: string;
  readonly password: string;
}

export function newEmail(name = "buyer"): string {
  return `${name}-${randomBytes(5).toString("hex")}@example.com`;
}

export async function createAccount(status: Readonly<Record<string, string>>): Promise<Account> {
  const service = createClient(status.API_URL!, status.SERVICE_ROLE_KEY!, {
    auth: { persistSession: false },
  });
  const account = { email: newEmail(), password: "swangas and vogues" };
  const { data, error } = await service.auth.admin.createUser({ ...account, email_confirm: true });
  if (error) throw error;
  return { ...account, id: data.user.id };
}
