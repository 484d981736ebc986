// What a built page does before it fetches script: it shows itself. Owns the changes to React Router's document that
// make it so: the style sheet goes into the page, a round trip less on a phone's network; what fetches script waits in a
// template until the first paint, so that it does not share the line with type and pictures; and a press of a button
// that has no script yet is kept until it has.

import { IMPORT_AGAIN } from "./import-again.ts";

/** Files that are each run as a task of their own, which leaves room for a tap in between; in the order of who needs whom. */
export const largeFiles = ["react", "frame", "store"];

const PRELOAD = /<link rel="modulepreload"[^>]*\/>/g;
const START = /<script type="module" async="">[\s\S]*?<\/script>/;

/** @throws Error when React Router no longer writes the document this way: the build fails instead of a page that never starts */
export function paintFirst(html: string, styles: string): string {
  const preloads = html.match(PRELOAD)?.join("") ?? "";
  const large = largeFiles.flatMap((name) => preloads.match(`/assets/${name}-[\\w-]+\\.js`) ?? []);
  const start = html.match(START)?.[0];
  if (large.length < 2 || !start) throw new Error("React Router's document has changed: see paint-first.ts");
  return html
    .replace(PRELOAD, "")
    .replace(
      "</head>",
      () =>
        `<style>${styles}</style>${WITHOUT_SCRIPT}<script>${FORGETFUL_STORE}${QUIET_ZOD}${IMPORT_AGAIN}${KEEP_PRESSES}</script></head>`,
    )
    .replace(
      START,
      () => `<template id="after-paint">${preloads}${start}</template><script>${afterPaint(large)}</script>`,
    );
}

/** Folded text lies open to those who cannot unfold it, nothing says that it is loading, and no form is shown that could not be sent. An early layer's "important" wins. */
const WITHOUT_SCRIPT =
  "<noscript><style>@layer theme{[data-folded]{display:block!important}[data-loading],[data-needs-script]{display:none!important}}</style></noscript>";

/** Else Zod tries whether it may compile its schemas, which our policy forbids: Firefox reports each try. */
const QUIET_ZOD = "globalThis.__zod_globalConfig={jitless:true};";

/** Where the browser refuses storage, merely naming it throws, in the router's own scripts too: this one lasts as long as the page. */
const FORGETFUL_STORE =
  `try{sessionStorage}catch{const kept=new Map;Object.defineProperty(window,"sessionStorage",{value:{` +
  `getItem:key=>kept.get(key)??null,setItem:(key,text)=>kept.set(key,text),removeItem:key=>kept.delete(key)}})}`;

/** React marks an element with properties of its own when it takes it over. What the browser does by itself is left alone. */
const KEEP_PRESSES =
  `addEventListener("click",event=>{const button=event.target.closest("button:not([popovertarget])");` +
  `const alive=()=>Object.keys(button).some(key=>key.startsWith("__reactP"));if(!button||alive())return;event.preventDefault();` +
  `const press=()=>alive()?button.click():button.isConnected&&setTimeout(press,50);press()},true);`;

/** As soon as the browser says that it has painted, or shortly after the first frame if it never says. Everything is asked for at once. */
const afterPaint = (large: readonly string[]) =>
  `(async()=>{await Promise.race([new Promise(done=>new PerformanceObserver(done).observe({type:"paint",buffered:true})),` +
  `new Promise(done=>requestAnimationFrame(()=>setTimeout(done,500)))]);` +
  `const{content}=document.getElementById("after-paint");` +
  `document.head.append(...content.querySelectorAll("link"));` +
  large.map((file) => `await import("${file}");await new Promise(done=>setTimeout(done));`).join("") +
  `document.head.append(content)})()`;
