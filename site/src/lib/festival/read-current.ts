// Reads what is published and shows it in place of what the page came with.
import type { PublishedSections } from "contract/festival";
import { supabaseAddress } from "#lib/api/env.ts";
import { logError } from "#lib/browser/error-log.ts";
import { show } from "./content.ts";

/** Never rejects: what is shown stays when it cannot be read. */
export async function readCurrent(): Promise<void> {
  try {
    const { url, anonKey } = supabaseAddress();
    const [answer, { contentOf }] = await Promise.all([
      fetch(`${url}/rest/v1/rpc/get_festival`, { headers: { apikey: anonKey } }),
      import("contract/festival"),
    ]);
    if (!answer.ok) throw new Error(`get_festival: ${answer.status}`);
    show(contentOf((await answer.json()) as PublishedSections));
  } catch (error) {
    logError("read what is published", error);
  }
}
