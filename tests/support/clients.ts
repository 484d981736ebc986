// Clients of a server's API for looking behind the scenes, without a session that outlives the test.
import { createClient } from "@supabase/supabase-js";

type Status = Readonly<Record<string, string>>;

/** One that may do everything. */
export const serviceClient = (status: Status) => clientOf(status, status.SERVICE_ROLE_KEY!);

/** One as any visitor has it. */
export const visitorClient = (status: Status) => clientOf(status, status.ANON_KEY!);

const clientOf = (status: Status, key: string) =>
  createClient(status.API_URL!, key, { auth: { persistSession: false } });
