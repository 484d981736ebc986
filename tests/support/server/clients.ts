// Clients of a server's API for looking behind the scenes, without a session that outlives the test.
import { createClient } from "@supabase/supabase-js";

type Status = Readonly<Record<string, string>>;

/** A client with all rights. */
export const serviceClient = (status: Status) => clientOf(status, status.SERVICE_ROLE_KEY!);

/** A visitor's client. */
export const visitorClient = (status: Status) => clientOf(status, status.ANON_KEY!);

const clientOf = (status: Status, key: string) =>
  createClient(status.API_URL!, key, { auth: { persistSession: false } });
