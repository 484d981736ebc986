// Reads a request's parameters one by one with Stripe's refusals, and tracks which were never read: what the sandbox
// does not understand is refused, never ignored.
import type { FormTree } from "./form.ts";
import { invalidRequest, missingParameter } from "./provider-error.ts";

export class Parameters {
  readonly #tree: FormTree;
  /** The name of this subtree; empty for the whole request. */
  readonly #prefix: string;
  readonly #read = new Set<string>();
  readonly #children: Parameters[] = [];

  constructor(tree: FormTree, prefix = "") {
    this.#tree = tree;
    this.#prefix = prefix;
  }

  /** Absent and empty are the same. At most 5,000 characters by default. */
  text(name: string, longest = 5000): string | undefined {
    const found = this.#value(name);
    if (found === undefined) return undefined;
    if (typeof found !== "string") throw this.#refusal(name, "Invalid string");
    if (found.length > longest) {
      const message = `Invalid string: must be at most ${longest} characters`;
      throw this.#refusal(name, message, "parameter_invalid_string_blank");
    }
    return found;
  }

  requiredText(name: string): string {
    const found = this.text(name);
    if (found === undefined) throw missingParameter(this.#full(name));
    return found;
  }

  integer(name: string): number | undefined {
    const found = this.text(name);
    if (found === undefined) return undefined;
    if (!/^-?\d{1,15}$/.test(found)) {
      throw this.#refusal(name, `Invalid integer: ${found}`, "parameter_invalid_integer");
    }
    return Number(found);
  }

  boolean(name: string): boolean | undefined {
    const found = this.text(name);
    if (found === undefined) return undefined;
    if (found !== "true" && found !== "false") throw this.#refusal(name, `Invalid boolean: ${found}`);
    return found === "true";
  }

  choice<T extends string>(name: string, options: readonly T[]): T | undefined {
    const found = this.text(name);
    const option = options.find((known) => known === found);
    if (found !== undefined && option === undefined) {
      throw this.#refusal(name, `Invalid ${this.#full(name)}: must be one of ${options.join(", ")}`);
    }
    return option;
  }

  /** An http or https address. */
  url(name: string): string | undefined {
    const found = this.text(name);
    if (found === undefined) return undefined;
    if (!/^https?:$/.test(URL.parse(found)?.protocol ?? "")) {
      throw this.#refusal(name, "Not a valid URL", "url_invalid");
    }
    return found;
  }

  nested(name: string): Parameters | undefined {
    const found = this.#value(name);
    if (found === undefined) return undefined;
    if (typeof found === "string") throw this.#refusal(name, "Invalid object");
    return this.#child(found, this.#full(name));
  }

  texts(name: string): string[] {
    const found = this.#value(name);
    if (found === undefined) return [];
    const texts = typeof found === "string" ? [found] : Object.values(found);
    if (!texts.every((entry) => typeof entry === "string")) throw this.#refusal(name, "Invalid array");
    return texts;
  }

  items(name: string): Parameters[] {
    const found = this.#value(name);
    if (found === undefined) return [];
    return Object.entries(found).map(([index, entry]) => {
      if (typeof entry !== "object") throw this.#refusal(name, "Invalid array");
      return this.#child(entry, `${this.#full(name)}[${index}]`);
    });
  }

  /** `current` merged with the given metadata: an empty value removes its key, an empty parameter all of them. */
  metadata(current: Readonly<Record<string, string>> = {}): Record<string, string> {
    const found = this.#value("metadata");
    if (this.#tree.metadata === "") return {};
    if (found === undefined) return { ...current };
    if (typeof found === "string") throw this.#refusal("metadata", "Invalid object");
    return mergeMetadata(current, found);
  }

  /** Whether it was given as text rather than as a tree. */
  isText(name: string): boolean {
    return typeof this.#tree[name] === "string";
  }

  /** Throws for a parameter that nothing has read, at any depth. */
  refuseUnknown(): void {
    const unknown = Object.keys(this.#tree).find((name) => !this.#read.has(name));
    if (unknown !== undefined) {
      const message = `Received unknown parameter: ${this.#full(unknown)} (the payments sandbox does not know it)`;
      throw this.#refusal(unknown, message, "parameter_unknown");
    }
    for (const parameters of this.#children) parameters.refuseUnknown();
  }

  #full(name: string): string {
    return this.#prefix === "" ? name : `${this.#prefix}[${name}]`;
  }

  /** Undefined where it is absent or empty. */
  #value(name: string): string | FormTree | undefined {
    this.#read.add(name);
    const found = this.#tree[name];
    return found === "" ? undefined : found;
  }

  #child(found: FormTree, name: string): Parameters {
    const parameters = new Parameters(found, name);
    this.#children.push(parameters);
    return parameters;
  }

  #refusal(name: string, message: string, code?: string) {
    return invalidRequest(message, { ...(code !== undefined && { code }), param: this.#full(name) });
  }
}

/** Stripe's bounds: 50 keys of 40 characters with values of 500. */
function mergeMetadata(current: Readonly<Record<string, string>>, changes: FormTree): Record<string, string> {
  const merged = new Map(Object.entries(current));
  for (const [key, entry] of Object.entries(changes)) {
    if (typeof entry !== "string" || key.length > 40 || entry.length > 500) {
      const message = "Metadata keys can have up to 40 characters and values up to 500, all of them text.";
      throw invalidRequest(message, { param: `metadata[${key}]` });
    }
    if (entry === "") merged.delete(key);
    else merged.set(key, entry);
  }
  if (merged.size > 50)
    throw invalidRequest("You can specify up to 50 metadata keys.", { param: "metadata" });
  return Object.fromEntries(merged);
}
