// Runs at build only. Waits for everything before it writes, and writes it in place, so that a prerendered page is whole
// without script.
import { text } from "node:stream/consumers";
import { PassThrough } from "node:stream";
import type { ReactNode } from "react";
import { renderToPipeableStream } from "react-dom/server";
import { ServerRouter, type EntryContext } from "react-router";
import styles from "../styles/app.css?inline";
import { paintFirst } from "./paint-first.ts";

export default async function renderDocument(
  request: Request,
  status: number,
  headers: Headers,
  context: EntryContext,
): Promise<Response> {
  const html = await render(<ServerRouter context={context} url={request.url} />);
  headers.set("Content-Type", "text/html");
  // While developing, the style sheet is linked, so that it can change without a reload.
  const page = import.meta.env.DEV ? html : paintFirst(html, styles);
  return new Response(page, { headers, status });
}

function render(document: ReactNode): Promise<string> {
  return new Promise((resolve, reject) => {
    const { pipe } = renderToPipeableStream(document, {
      // Larger boundaries would be written to the end of the page, hidden, for a script to move.
      progressiveChunkSize: Number.POSITIVE_INFINITY,
      onAllReady: () => resolve(text(pipe(new PassThrough()))),
      onError: reject,
      onShellError: reject,
    });
  });
}
