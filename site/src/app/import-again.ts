// Lets a file of script be fetched again after the network failed. Chromium and others remember a failed import by its
// address for as long as the page lives. So the file is asked for under another address, which stays the same once it
// has come: no module lives twice. The build routes every import() of a built file through here.
import type { Plugin } from "vite";

/** Goes into the head of every page. */
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
      // After Vite has written what each import preloads.
      order: "post",
      handler(_options, bundle) {
        for (const file of Object.values(bundle))
          if (file.type === "chunk") file.code = file.code.replace(IMPORT, 'globalThis.importAgain("$2")');
      },
    },
  };
}
