// A built page paints before it fetches any script. It has its style sheet inline, which saves a round trip. Everything that fetches script
// waits in a template until the first paint, so fonts and pictures have the network to themselves. Rewrites React Router's document to do
// so. Figures: docs/decisions/030-page-start.md.
import { KEEP_PRESSES } from "./early-press.ts";
import { IMPORT_AGAIN } from "./import-again.ts";

const PRELOAD = /<link rel="modulepreload"[^>]*\/>/g;
const START = /<script type="module" async="">[\s\S]*?<\/script>/;

/**
 * `block` is data in the page for its script.
 * @throws Error when the shape of React Router's document changes: the build fails instead of shipping a page that never starts
 */
export function paintFirst(html: string, styles: string, block: string): string {
  const preloads = html.match(PRELOAD)?.join("") ?? "";
  const start = html.match(START)?.[0];
  if (!preloads || !start) throw new Error("React Router's document has changed: see paint-first.ts");
  return html
    .replace(PRELOAD, "")
    .replace(
      "</head>",
      () =>
        `<style>${styles}</style>${WITHOUT_SCRIPT}<script>${FORGETFUL_STORE}${QUIET_ZOD}${IMPORT_AGAIN}${KEEP_PRESSES}</script></head>`,
    )
    .replace(
      START,
      () =>
        `${block}<template id="after-paint">${preloads}${start}</template><script>${AFTER_PAINT}</script>`,
    );
}

/**
 * Without script, folded text is open, and loading messages and forms that cannot be sent are hidden. `!important` in the earliest layer
 * wins.
 */
const WITHOUT_SCRIPT =
  "<noscript><style>@layer theme{[data-folded]{display:block!important}[data-loading],[data-needs-script]{display:none!important}}</style></noscript>";

/** Zod would try to compile its schemas with eval, which our content security policy forbids; Firefox reports every attempt. */
const QUIET_ZOD = "globalThis.__zod_globalConfig={jitless:true};";

/**
 * A browser that blocks storage throws as soon as a script accesses it, and the router's own scripts do. This stand-in lasts as long as the
 * page.
 */
const FORGETFUL_STORE =
  `try{sessionStorage}catch{const kept=new Map;Object.defineProperty(window,"sessionStorage",{value:{` +
  `getItem:key=>kept.get(key)??null,setItem:(key,text)=>kept.set(key,text),removeItem:key=>kept.delete(key)}})}`;

/** Starts once the browser reports a paint, or half a second after the first frame if it never does. Requests all files at once. */
const AFTER_PAINT =
  `(async()=>{await Promise.race([new Promise(done=>new PerformanceObserver(done).observe({type:"paint",buffered:true})),` +
  `new Promise(done=>requestAnimationFrame(()=>setTimeout(done,500)))]);` +
  `document.head.append(document.getElementById("after-paint").content)})()`;
