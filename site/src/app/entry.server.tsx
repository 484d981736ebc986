// Runs at build only. Waits for every Suspense boundary and renders it in place, so a prerendered page is complete without
// script.
import { text } from "node:stream/consumers";
import { PassThrough } from "node:stream";
import type { ReactNode } from "react";
import { renderToPipeableStream } from "react-dom/server";
import { ServerRouter, type EntryContext } from "react-router";
import styles from "../styles/app.css?inline";
import { paintFirst } from "./page-start/paint-first.ts";

export default async function renderDocument(
  request: Request,
  status: number,
  headers: Headers,
  context: EntryContext,
): Promise<Response> {
  const html = await render(<ServerRouter context={context} url={request.url} />);
  headers.set("Content-Type", "text/html");
  // In development the style sheet is linked, so it can change without a reload.
  const page = import.meta.env.DEV ? html : paintFirst(html, styles);
  return new Response(page, { headers, status });
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
