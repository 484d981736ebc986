// What a built page does before it fetches script: it shows itself. Owns the two changes to React Router's document that
// make it so: the style sheet goes into the page, a round trip less on a phone's network, and what fetches script waits
// in a template until the first paint, so that it does not share the line with type and pictures.

const PRELOAD = /<link rel="modulepreload"[^>]*\/>/g;
const START = /<script type="module" async="">[\s\S]*?<\/script>/;

/** In the frame's callback the paint is still to come; a timer set there runs after it. */
const AFTER_PAINT =
  'requestAnimationFrame(()=>setTimeout(()=>document.head.append(document.getElementById("after-paint").content)))';

/** @throws Error when React Router no longer writes the document this way: the build fails instead of a page that never starts */
export function paintFirst(html: string, styles: string): string {
  const preloads = html.match(PRELOAD);
  const start = html.match(START)?.[0];
  if (!preloads || !start) throw new Error("React Router's document has changed: see paint-first.ts");
  return html
    .replace(PRELOAD, "")
    .replace("</head>", () => `<style>${styles}</style></head>`)
    .replace(
      START,
      () =>
        `<template id="after-paint">${preloads.join("")}${start}</template><script>${AFTER_PAINT}</script>`,
    );
}
