// The name the caller may have meant: PostgREST's fuzzy search (pairs and triples of letters as vectors, then Levenshtein
// distance among the nearest), so that its hints come out the same.

/** PostgREST 14 suggests a table or a function only if it is this near, so that guessing does not list them. */
export const NEAR = 0.75;
/** For relationships and parameters, whose table or function the caller has already named. */
export const SIMILAR = 0.33;

/** PostgreSQL truncates names at 63 bytes. A much longer name is no typo, and comparing it would take long. */
const LONGEST = 200;

/** The nearest candidate with at least this score, including the name itself. A score of 1 means the same name. */
export function nearestName(
  name: string,
  candidates: Iterable<string>,
  least: number,
): { readonly name: string; readonly score: number } | undefined {
  if (name.length > LONGEST) return undefined;
  const distinct = [...new Map([...candidates].map((one) => [one.toLowerCase(), one]))];
  const wanted = name.toLowerCase();
  for (const size of [3, 2]) {
    const found = bySize(wanted, distinct, size).filter(({ score }) => score >= least);
    if (found.length > 0) return found.toSorted((a, b) => b.score - a.score)[0];
  }
  return undefined;
}

/** Only this many candidates, those that share most letters, are compared closely. */
const CLOSE = 50;

function bySize(wanted: string, candidates: readonly (readonly [string, string])[], size: number) {
  const vector = vectorOf(wanted, size);
  return candidates
    .map(([lower, name]) => ({ lower, name, likeness: cosine(vector, known(lower, size)) }))
    .filter(({ likeness }) => likeness > 0)
    .toSorted((a, b) => b.likeness - a.likeness)
    .slice(0, CLOSE)
    .map(({ lower, name }) => ({
      name,
      score: 1 - distance(wanted, lower) / Math.max(wanted.length, lower.length),
    }));
}

/** How often each run of that many letters occurs, and the vector's resulting length. */
interface Vector {
  readonly grams: ReadonlyMap<string, number>;
  readonly norm: number;
}

/** Vectors of names in the schema, which every miss compares. Computing them each time took 3 ms for 300 functions. */
const vectors = new Map<string, Vector>();
const MAX_VECTORS = 10_000;

function known(name: string, size: number): Vector {
  const key = `${size}${name}`;
  let vector = vectors.get(key);
  if (vector === undefined) {
    if (vectors.size >= MAX_VECTORS) vectors.clear();
    vectors.set(key, (vector = vectorOf(name, size)));
  }
  return vector;
}

function vectorOf(text: string, size: number): Vector {
  const padded = `-${text.replaceAll(/[^\p{L}\p{N}_ ,]+/gu, "")}-`.padEnd(size, "-");
  const grams = new Map<string, number>();
  for (let at = 0; at + size <= padded.length; at++) {
    const gram = padded.slice(at, at + size);
    grams.set(gram, (grams.get(gram) ?? 0) + 1);
  }
  const norm = Math.sqrt([...grams.values()].reduce((sum, count) => sum + count * count, 0));
  return { grams, norm };
}

function cosine(a: Vector, b: Vector): number {
  let product = 0;
  for (const [gram, count] of a.grams) product += count * (b.grams.get(gram) ?? 0);
  return product / (a.norm * b.norm);
}

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next[j] = Math.min(change, row[j]! + 1, next[j - 1]! + 1);
    }
    row = next;
  }
  return row[b.length]!;
}
