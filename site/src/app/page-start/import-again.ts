// Lets the page fetch a script file again after a network failure. Chromium remembers a failed import by its address while
// the page is open, so a retry adds `?again=1` and counts up. Once one succeeds, that address is used from then on, so no
// module is loaded twice. The build routes every import() of a built file through this.
import type { Plugin } from "vite";

/** Runs in the head of every page. */
export const IMPORT_AGAIN =
  `{const turns={};globalThis.importAgain=async file=>{const address="/assets/"+file;try{return await import(address)}catch{` +
  `const turn=turns[address]??=1;try{return await import(address+"?again="+turn)}catch(error){turns[address]=turn+1;throw error}}}}`;

const IMPORT = /\bimport\(([`"'])\.\/([\w-]+\.js)\1\)/g;

export function importAgain(): Plugin {
  return {
    name: "import-again",
    apply: "build",
    applyToEnvironment: (environment) => environment.name === "client",
    generateBundle: {
      // Runs after Vite has written the preloads of each import.
      order: "post",
      handler(_options, bundle) {
        for (const file of Object.values(bundle))
          if (file.type === "chunk") file.code = file.code.replace(IMPORT, 'globalThis.importAgain("$2")');
      },
    },
  };
}
