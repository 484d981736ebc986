// Reads a request's parameters one by one with Stripe's refusals, and knows which were never asked for: what the sandbox
// does not understand is refused, never ignored.
import type { FormTree } from "./form.ts";
import { invalidRequest, missingParameter } from "./provider-error.ts";

export interface Parameters {
  /** Absent and empty are the same. At most 5,000 characters by default. */
  text(name: string, longest?: number): string | undefined;
  requiredText(name: string): string;
  integer(name: string): number | undefined;
  boolean(name: string): boolean | undefined;
  choice<T extends string>(name: string, options: readonly T[]): T | undefined;
  /** An http or https address. */
  url(name: string): string | undefined;
  nested(name: string): Parameters | undefined;
  texts(name: string): string[];
  items(name: string): Parameters[];
  /** `current` with the metadata sent merged in: an empty value removes its key, an empty parameter all of them. */
  metadata(current?: Readonly<Record<string, string>>): Record<string, string>;
  /** Whether it was sent, and not as a tree. */
  isText(name: string): boolean;
  /** Throws for a parameter that nothing has read, at any depth. */
  refuseUnknown(): void;
}

export function readParameters(tree: FormTree, prefix = ""): Parameters {
  const read = new Set<string>();
  const children: Parameters[] = [];
  const full = (name: string) => (prefix === "" ? name : `${prefix}[${name}]`);

  const value = (name: string): string | FormTree | undefined => {
    read.add(name);
    return tree[name];
  };
  const child = (found: FormTree, name: string): Parameters => {
    const parameters = readParameters(found, name);
    children.push(parameters);
    return parameters;
  };
  const text = (name: string, longest = 5000): string | undefined => {
    const found = value(name);
    if (found === undefined || found === "") return undefined;
    if (typeof found !== "string") throw invalidRequest("Invalid string", { param: full(name) });
    if (found.length > longest) {
      const message = `Invalid string: must be at most ${longest} characters`;
      throw invalidRequest(message, { code: "parameter_invalid_string_blank", param: full(name) });
    }
    return found;
  };

  return {
    text,
    isText: (name) => typeof tree[name] === "string",
    requiredText(name) {
      const found = text(name);
      if (found === undefined) throw missingParameter(full(name));
      return found;
    },
    integer(name) {
      const found = text(name);
      if (found === undefined) return undefined;
      if (!/^-?\d{1,15}$/.test(found)) {
        throw invalidRequest(`Invalid integer: ${found}`, {
          code: "parameter_invalid_integer",
          param: full(name),
        });
      }
      return Number(found);
    },
    boolean(name) {
      const found = text(name);
      if (found === undefined) return undefined;
      if (found !== "true" && found !== "false") {
        throw invalidRequest(`Invalid boolean: ${found}`, { param: full(name) });
      }
      return found === "true";
    },
    choice(name, options) {
      const found = text(name);
      const option = options.find((known) => known === found);
      if (found !== undefined && option === undefined) {
        throw invalidRequest(`Invalid ${full(name)}: must be one of ${options.join(", ")}`, {
          param: full(name),
        });
      }
      return option;
    },
    url(name) {
      const found = text(name);
      if (found === undefined) return undefined;
      if (!/^https?:$/.test(URL.parse(found)?.protocol ?? "")) {
        throw invalidRequest("Not a valid URL", { code: "url_invalid", param: full(name) });
      }
      return found;
    },
    nested(name) {
      const found = value(name);
      if (found === undefined || found === "") return undefined;
      if (typeof found === "string") throw invalidRequest("Invalid object", { param: full(name) });
      return child(found, full(name));
    },
    texts(name) {
      const found = value(name);
      if (found === undefined || found === "") return [];
      const texts = typeof found === "string" ? [found] : Object.values(found);
      if (!texts.every((entry) => typeof entry === "string")) {
        throw invalidRequest("Invalid array", { param: full(name) });
      }
      return texts;
    },
    items(name) {
      const found = value(name);
      if (found === undefined || found === "") return [];
      return Object.entries(found).map(([index, entry]) => {
        if (typeof entry !== "object") throw invalidRequest("Invalid array", { param: full(name) });
        return child(entry, `${full(name)}[${index}]`);
      });
    },
    metadata(current = {}) {
      const found = value("metadata");
      if (found === undefined) return { ...current };
      if (found === "") return {};
      if (typeof found === "string") throw invalidRequest("Invalid object", { param: full("metadata") });
      return mergeMetadata(current, found);
    },
    refuseUnknown() {
      const unknown = Object.keys(tree).find((name) => !read.has(name));
      if (unknown !== undefined) {
        const message = `Received unknown parameter: ${full(unknown)} (the payments sandbox does not know it)`;
        throw invalidRequest(message, { code: "parameter_unknown", param: full(unknown) });
      }
      for (const parameters of children) parameters.refuseUnknown();
    },
  };
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
