// Which functions exist, and how each is served: the folders of supabase/functions and their settings in config.toml.
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";

export interface ServedFunction {
  readonly name: string;
  readonly directory: string;
  /** The module that our server calls in process; undefined where a worker runs the entrypoint. */
  readonly handler: string | undefined;
  /** The module that calls Deno.serve. */
  readonly entrypoint: string;
  readonly verifyJwt: boolean;
  /** A deno.json or an import map. */
  readonly imports: string | undefined;
  /** Files outside its folder that it may read. */
  readonly staticFiles: readonly string[];
}

/** As in the Supabase CLI. `_shared` and paths out of the folder do not match. */
const NAME = /^[A-Za-z][A-Za-z0-9_-]*$/;

interface Settings {
  readonly enabled?: unknown;
  readonly verify_jwt?: unknown;
  readonly import_map?: unknown;
  readonly entrypoint?: unknown;
  readonly static_files?: unknown;
}

export class ServedFunctions {
  readonly #project: string;
  readonly #inProcess: boolean;
  readonly #known = new Map<string, ServedFunction>();

  /** `project` is the Supabase CLI's folder: config.toml and functions. `inProcess`: a handler.ts may be called here. */
  constructor(project: string, inProcess: boolean) {
    this.#project = project;
    this.#inProcess = inProcess;
  }

  /** Undefined when there is no such function, or it is switched off. Throws when its settings cannot be read. */
  async find(name: string): Promise<ServedFunction | undefined> {
    const known = this.#known.get(name);
    if (known) return known;
    if (!NAME.test(name)) return undefined;
    const directory = join(this.#project, "functions", name);
    // Checked before the settings: guessing names must not cost a parsed file each.
    if (!existsSync(directory)) return undefined;
    const found = this.#read(name, directory, await this.#settingsOf(name));
    if (found) this.#known.set(name, found);
    return found;
  }

  #read(name: string, directory: string, settings: Settings): ServedFunction | undefined {
    if (settings.enabled === false) return undefined;
    const file = join(directory, "handler.ts");
    const handler = this.#inProcess && isFile(file) ? file : undefined;
    const entrypoint = this.#inProject(settings.entrypoint) ?? join(directory, "index.ts");
    if (handler === undefined && !isFile(entrypoint)) return undefined;
    return {
      name,
      directory,
      handler,
      entrypoint,
      verifyJwt: settings.verify_jwt !== false,
      imports: this.#inProject(settings.import_map) ?? this.#importsBeside(directory),
      staticFiles: textsOf(settings.static_files).flatMap((pattern) => this.#matching(pattern)),
    };
  }

  async #settingsOf(name: string): Promise<Settings> {
    const file = join(this.#project, "config.toml");
    if (!existsSync(file)) return {};
    const { parse } = await import("smol-toml");
    const { functions } = parse(readFileSync(file, "utf8")) as { functions?: Record<string, Settings> };
    return (functions && Object.hasOwn(functions, name) ? functions[name] : undefined) ?? {};
  }

  /** As the CLI looks for them: the function's own first, then the shared one. */
  #importsBeside(directory: string): string | undefined {
    const own = ["deno.json", "deno.jsonc"].map((file) => join(directory, file));
    return [...own, join(dirname(directory), "import_map.json")].find(isFile);
  }

  /** A path of config.toml, which is relative to it. Throws where it leads out of the project. */
  #inProject(path: unknown): string | undefined {
    if (typeof path !== "string" || path === "") return undefined;
    const absolute = resolve(this.#project, path);
    if (relative(this.#project, absolute).startsWith("..")) {
      throw new Error(`config.toml names ${path}, which is outside of ${basename(this.#project)}`);
    }
    return absolute;
  }

  #matching(pattern: string): string[] {
    return globSync(this.#inProject(pattern)!).filter(isFile);
  }
}

const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
