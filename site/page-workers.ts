// Builds the service workers of the pages that open without a network, the gate and My Tickets. Each worker receives the list of
// built files its page needs: its static and dynamic imports, and for the gate also the code reader's worker and its WebAssembly.
import type { Plugin, Rolldown } from "vite";

interface PageWorker {
  readonly source: string;
  readonly file: string;
  /** The modules the page starts with. */
  readonly page: RegExp;
  /** Where to stop: the offline part of the page does not need these. */
  readonly without?: RegExp;
  /** Files the page cannot work without. */
  readonly needed: readonly RegExp[];
}

const workers: readonly PageWorker[] = [
  {
    source: "/src/features/gate/service-worker.ts",
    file: "gate-worker.js",
    page: /site\/src\/app\/(root|entry\.client|layouts\/gate|routes\/gate)\.tsx/,
    // Within the service worker's scope: the service worker in control of a worker file's path serves it, not the page's.
    needed: [/\.wasm$/, /^gate-decode-worker-[\w-]+\.js$/],
  },
  {
    source: "/src/features/tickets/kept/service-worker.ts",
    file: "tickets-worker.js",
    page: /site\/src\/app\/(root|entry\.client|layouts\/public|layouts\/shop|routes\/my-tickets)\.tsx/,
    without: /site\/src\/features\/(checkout|vendors)\//,
    needed: [/\.js$/],
  },
];

const PLACEHOLDER = "__PAGE_FILES__";

/** What the workers share. It becomes a part of each: a classic script cannot import, and a shared module would be a file of its own. */
const SHARED = "#lib/browser/kept-page.ts";

export function pageWorkers(): Plugin {
  return {
    name: "page-workers",
    apply: "build",
    applyToEnvironment: (environment) => environment.name === "client",
    buildStart() {
      for (const { source, file } of workers)
        this.emitFile({ type: "chunk", id: import.meta.dirname + source, fileName: file });
    },
    resolveId: {
      order: "pre",
      async handler(source, importer, options) {
        const worker = workers.find((one) => source === SHARED && importer?.endsWith(one.source));
        const found = worker && (await this.resolve(source, importer, { ...options, skipSelf: true }));
        // The end says that it is TypeScript.
        return found && { ...found, id: `${found.id}?${worker.file}.ts` };
      },
    },
    generateBundle: {
      order: "post",
      handler(_options, bundle) {
        for (const { file, page, without, needed } of workers) {
          const worker = bundle[file];
          if (worker?.type !== "chunk" || !worker.code.includes(PLACEHOLDER) || worker.imports.length > 0)
            return this.error(`${file} does not name its files, or has imports: see page-workers.ts`);
          const pages = Object.values(bundle).filter(
            (chunk) => chunk.type === "chunk" && chunk.moduleIds.some((id) => page.test(id)),
          );
          const files = closure(bundle, pages, without);
          if (!needed.every((name) => files.some((path) => name.test(path))))
            return this.error(`${file}: the page's files lack what it needs: see page-workers.ts`);
          worker.code = worker.code.replace(new RegExp(`["'\`]${PLACEHOLDER}["'\`]`), () =>
            JSON.stringify(files.map((path) => `/${path}`).sort()),
          );
        }
      },
    },
  };
}

/** The files and everything they refer to. A file matched by `without` stays if another file imports it statically. */
function closure(
  bundle: Rolldown.OutputBundle,
  files: readonly (Rolldown.OutputChunk | Rolldown.OutputAsset)[],
  without?: RegExp,
): string[] {
  const seen = new Set(files.map(({ fileName }) => fileName));
  const isLeftOut = (name: string) => {
    const file = bundle[name]!;
    return without !== undefined && file.type === "chunk" && file.moduleIds.some((id) => without.test(id));
  };
  for (const name of seen) {
    const file = bundle[name]!;
    const source = file.type === "chunk" ? file.code : name.endsWith(".js") ? String(file.source) : "";
    const named = [...source.matchAll(/\b(?:assets\/[\w.-]+\.\w+|gate-decode-worker-[\w-]+\.js)/g)].map(
      ([text]) => text,
    );
    const [imported, later] = file.type === "chunk" ? [file.imports, file.dynamicImports] : [[], []];
    for (const next of imported) if (bundle[next]) seen.add(next);
    for (const next of [...named, ...later]) if (bundle[next] && !isLeftOut(next)) seen.add(next);
  }
  return [...seen];
}
