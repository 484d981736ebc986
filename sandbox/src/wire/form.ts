// Stripe's form encoding: `a[b][0][c]=v` is a tree. Hides brackets, `[]` and hostile names from everything else.

/** A list is a tree whose keys are its indexes, in order. Trees have no prototype, so any key is safe. */
export interface FormTree {
  [key: string]: string | FormTree;
}

const DEEPEST = 6;

/** Parses `application/x-www-form-urlencoded` text. A malformed name is kept as written. */
export function parseForm(text: string): FormTree {
  const root = newTree();
  for (const [name, value] of new URLSearchParams(text)) set(root, path(name), value);
  return root;
}

/** Equal text for equal trees in any order, to compare requests under one idempotency key. */
export function canonical(tree: FormTree): string {
  return JSON.stringify(
    Object.entries(tree)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]) => [key, typeof value === "string" ? value : canonical(value)]),
  );
}

function path(name: string): string[] {
  const match = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name);
  if (!match) return [name];
  const inner = [...match[2]!.matchAll(/\[([^[\]]*)\]/g)].map((part) => part[1]!);
  return inner.length < DEEPEST ? [match[1]!, ...inner] : [name];
}

function set(root: FormTree, keys: readonly string[], value: string): void {
  let tree = root;
  for (const key of keys.slice(0, -1)) {
    const name = key === "" ? nextIndex(tree) : key;
    const found = tree[name];
    tree = typeof found === "object" ? found : (tree[name] = newTree());
  }
  const last = keys.at(-1)!;
  tree[last === "" ? nextIndex(tree) : last] = value;
}

const newTree = (): FormTree => Object.create(null) as FormTree;
const nextIndex = (tree: FormTree): string => String(Object.keys(tree).length);
