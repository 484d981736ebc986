// The content the site is built with: the specified texts, which also seed the database. For a static host, it is what the
// project named in the build has published (docs/decisions/050-facts-are-data.md).
import { type Content, contentOf, type PublishedSections } from "contract/festival/facts";
import festival from "../supabase/festival.json" with { type: "json" };

/** @throws Error when the project cannot be read, so the build fails instead of showing another year's festival */
export async function firstContent(): Promise<Content> {
  const { VITE_SUPABASE_URL: url, VITE_SUPABASE_ANON_KEY: key } = process.env;
  return contentOf(url && key ? await publishedIn(url, key) : (festival.sections as PublishedSections));
}

async function publishedIn(url: string, key: string): Promise<PublishedSections> {
  const answer = await fetch(`${url.replace(/\/+$/, "")}/rest/v1/rpc/get_festival`, {
    headers: { apikey: key },
  });
  if (!answer.ok) throw new Error(`What is published of the festival could not be read: ${answer.status}`);
  return (await answer.json()) as PublishedSections;
}
