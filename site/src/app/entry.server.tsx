// Renders pages, at build and in a server worker after an edit is published. Waits for every Suspense boundary and renders it in
// place, so a page is complete without script. Embeds the festival content that the page shows, for hydration.
import { text } from "node:stream/consumers";
import { PassThrough } from "node:stream";
import type { ReactNode } from "react";
import type { Content } from "contract/festival/facts";
import { renderToPipeableStream } from "react-dom/server";
import { createRequestHandler, ServerRouter, type EntryContext, type ServerBuild } from "react-router";
import { CONTENT_ID, withContent } from "#lib/festival/content.ts";
import styles from "../styles/app.css?inline";
import { paintFirst } from "./page-start/paint-first.ts";
import { prerenderedPaths } from "./pages.ts";
import { publishedFiles } from "./published-files.ts";

/** The content of the next pages; until it is set, the content the site was built with. */
let content: Content | undefined;

export default async function renderDocument(
  request: Request,
  status: number,
  headers: Headers,
  context: EntryContext,
): Promise<Response> {
  const [html, shown] = await withContent(content, () =>
    render(<ServerRouter context={context} url={request.url} />),
  );
  headers.set("Content-Type", "text/html");
  // Without "<", typed text cannot close the block early.
  const json = JSON.stringify(shown).replaceAll("<", "\\u003c");
  const block = `<script type="application/json" id="${CONTENT_ID}">${json}</script>`;
  // In development the style sheet is linked, so it can change without a reload.
  const page = import.meta.env.DEV
    ? html.replace("</head>", () => `${block}</head>`)
    : paintFirst(html, styles, block);
  return new Response(page, { headers, status });
}

/**
 * The site's files that depend on the festival's content, by path, rendered with this content. Otherwise they are byte for byte
 * those of a build.
 * One call at a time.
 */
export async function renderSite(build: ServerBuild, given: Content): Promise<Map<string, string>> {
  content = given;
  const handle = createRequestHandler(build, "production");
  const files = new Map(
    Object.entries(publishedFiles(given, import.meta.env.SITE_ORIGIN)).map(([name, file]) => [
      `/${name}`,
      file,
    ]),
  );
  const page = async (path: string, headers = {}) => {
    const answer = await handle(new Request(`http://localhost${path}`, { headers }));
    if (!answer.ok && path !== "/404/") throw new Error(`${path} could not be rendered: ${answer.status}`);
    return answer.text();
  };
  for (const path of prerenderedPaths) {
    const folder = `${path}/`.replace("//", "/");
    files.set(`${folder}index.html`, await page(folder));
  }
  files.set("/__spa-fallback.html", await page("/", { "X-React-Router-SPA-Mode": "yes" }));
  return files;
}

function render(document: ReactNode): Promise<string> {
  return new Promise((resolve, reject) => {
    const { pipe } = renderToPipeableStream(document, {
      // Otherwise React puts large boundaries, hidden, at the end of the page for a script to move.
      progressiveChunkSize: Number.POSITIVE_INFINITY,
      onAllReady: () => resolve(text(pipe(new PassThrough()))),
      onError: reject,
      onShellError: reject,
    });
  });
}
