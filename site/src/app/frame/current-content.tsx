// On a static host, reads the published content after the page has loaded and replaces the built one with it. Pages from our
// own server are current (docs/decisions/050-facts-are-data.md).
import { useEffect } from "react";
import type { PublishedSections } from "contract/festival/facts";
import { supabaseAddress } from "#lib/api/env.ts";
import { logError } from "#lib/browser/error-log.ts";
import { show } from "#lib/festival/content.ts";

export function CurrentContent() {
  useEffect(() => {
    readCurrent().catch((error: unknown) => logError("read what is published", error));
  }, []);
  return null;
}

async function readCurrent(): Promise<void> {
  const { url, anonKey } = supabaseAddress();
  const [answer, { contentOf }] = await Promise.all([
    fetch(`${url}/rest/v1/rpc/get_festival`, { headers: { apikey: anonKey } }),
    import("contract/festival/facts"),
  ]);
  if (!answer.ok) throw new Error(`get_festival: ${answer.status}`);
  show(contentOf((await answer.json()) as PublishedSections));
}
