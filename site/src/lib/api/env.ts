// Where the API is and the public key that opens it. The server writes both into the page, so that one build runs
// anywhere; `react-router dev` and static hosting give them as VITE_ variables.

export interface SupabaseAddress {
  url: string;
  anonKey: string;
}

/** As the server wrote them: should React ever draw the whole document anew, these elements are gone, since it knows nothing of them. */
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
