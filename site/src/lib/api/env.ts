// The API's address and public key. The server writes both into the page, so one build runs anywhere; `react-router dev` and
// static hosting set them as VITE_ variables.

export interface SupabaseAddress {
  url: string;
  anonKey: string;
}

/** Read once: React does not know these elements and drops them if it ever renders the whole document again. */
const written = typeof document === "undefined" ? {} : metaElements();

export function supabaseAddress(): SupabaseAddress {
  const now = metaElements();
  const url = now.url || written.url || import.meta.env.VITE_SUPABASE_URL || window.location.origin;
  const anonKey = now.anonKey || written.anonKey || import.meta.env.VITE_SUPABASE_ANON_KEY;
  if (!anonKey)
    throw new Error(
      'The page names no API key: set <meta name="supabase-anon-key"> or VITE_SUPABASE_ANON_KEY',
    );
  return { url: url.replace(/\/+$/, ""), anonKey };
}

function metaElements(): Partial<SupabaseAddress> {
  return { url: meta("supabase-url"), anonKey: meta("supabase-anon-key") };
}

function meta(name: string): string | undefined {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content;
}
