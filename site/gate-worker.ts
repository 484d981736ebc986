// Builds the gate's service worker and tells it which built files the gate needs, so that it opens without a network: what its
// page imports, at once or later, the code reader's worker and its WebAssembly.
import type { Plugin, Rolldown } from "vite";

const SOURCE = "/src/features/gate/service-worker.ts";
const FILE = "gate-worker.js";
const GATE_PAGE = /site\/src\/app\/(root|entry\.client|layouts\/gate|routes\/gate)\.tsx/;
/** Within the service worker's scope: a worker's own file is served by whoever controls its path, not its page's. */
const DECODER = /^gate-decode-worker-[\w-]+\.js$/;
const PLACEHOLDER = "__GATE_FILES__";

export function gateWorker(): Plugin {
  return {
    name: "gate-worker",
    apply: "build",
    applyToEnvironment: (environment) => environment.name === "client",
    buildStart() {
      this.emitFile({ type: "chunk", id: import.meta.dirname + SOURCE, fileName: FILE });
    },
    generateBundle: {
      order: "post",
      handler(_options, bundle) {
        const worker = bundle[FILE];
        if (worker?.type !== "chunk" || !worker.code.includes(PLACEHOLDER))
          return this.error(`${FILE} does not name its files: see gate-worker.ts`);
        const pages = Object.values(bundle).filter(
          (file) => file.type === "chunk" && file.moduleIds.some((id) => GATE_PAGE.test(id)),
        );
        const files = closure(bundle, pages);
        if (![/\.wasm$/, DECODER].every((needed) => files.some((file) => needed.test(file))))
          return this.error("The gate's files lack the code reader: see gate-worker.ts");
        worker.code = worker.code.replace(new RegExp(`["'\`]${PLACEHOLDER}["'\`]`), () =>
          JSON.stringify(files.map((file) => `/${file}`).sort()),
        );
      },
    },
  };
}

/** The files and all that they name. */
function closure(
  bundle: Rolldown.OutputBundle,
  files: readonly (Rolldown.OutputChunk | Rolldown.OutputAsset)[],
): string[] {
  const seen = new Set(files.map(({ fileName }) => fileName));
  for (const name of seen) {
    const file = bundle[name]!;
    const source = file.type === "chunk" ? file.code : name.endsWith(".js") ? String(file.source) : "";
    const named = [...source.matchAll(/\b(?:assets\/[\w.-]+\.\w+|gate-decode-worker-[\w-]+\.js)/g)].map(
      ([text]) => text,
    );
    const imported = file.type === "chunk" ? [...file.imports, ...file.dynamicImports] : [];
    for (const next of [...named, ...imported]) if (bundle[next]) seen.add(next);
  }
  return [...seen];
}
