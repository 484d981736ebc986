// A small language for the shape of edited content: texts, numbers, choices, lists and fields, each with its bounds.
// One description serves the form, this check and SQL's (`shape_problem`), which reads the same JSON.
import { reachableEmailPattern } from "../people.ts";

interface Optional {
  /** May be left out. */
  readonly optional?: true;
}

export interface TextShape extends Optional {
  readonly type: "text";
  readonly max: number;
  /** May be empty. */
  readonly empty?: true;
  /** May have several lines. */
  readonly lines?: true;
  /** A regular expression that JavaScript and PostgreSQL read alike; it must match the whole text. */
  readonly pattern?: string;
  /** The rule of contract/people, which SQL has as `is_email`. */
  readonly format?: "email";
  /** Shown when the text has another form: "a time like 6:30 PM". */
  readonly like?: string;
}

interface NumberShape extends Optional {
  readonly type: "number";
  readonly min: number;
  readonly max: number;
}

interface ChoiceShape extends Optional {
  readonly type: "choice";
  readonly of: readonly string[];
}

export interface ListShape extends Optional {
  readonly type: "list";
  readonly max: number;
  /** The field whose value must be unique among the items. */
  readonly unique?: string;
  readonly of: Shape;
}

/** The card is shown with shared links. */
export type PictureKind = "card" | "logo";

export interface FieldsShape extends Optional {
  readonly type: "fields";
  /** The field `file` names a picture of this kind. */
  readonly picture?: PictureKind;
  readonly fields: Readonly<Record<string, Shape>>;
}

export type Shape = TextShape | NumberShape | ChoiceShape | ListShape | FieldsShape;

type Optionals<F> = { [K in keyof F]: F[K] extends { readonly optional: true } ? K : never }[keyof F];

/** The type of a value with this shape. */
export type Of<S> = S extends { readonly type: "text" }
  ? string
  : S extends { readonly type: "number" }
    ? number
    : S extends { readonly type: "choice"; readonly of: readonly (infer Choice)[] }
      ? Choice
      : S extends { readonly type: "list"; readonly of: infer Item }
        ? readonly Of<Item>[]
        : S extends { readonly type: "fields"; readonly fields: infer F }
          ? { readonly [K in Exclude<keyof F, Optionals<F>>]: Of<F[K]> } & {
              readonly [K in Optionals<F>]?: Of<F[K]>;
            }
          : never;

export interface Problem {
  /** "entries.2.title" */
  readonly path: string;
  readonly message: string;
}

/** Control characters, and those that change the reading direction of the following text. */
const UNSHOWABLE = /[\u0001-\u0009\u000b-\u001f\u007f\u202a-\u202e\u2066-\u2069]/;
const PLACEHOLDER = /\{([a-z_]+)\}/g;

/** Every problem, in the order of the form. `names` are the facts a text may name in braces. */
export function problemsOf(value: unknown, shape: Shape, names: readonly string[], path = ""): Problem[] {
  const wrong = (message: string) => [{ path, message }];
  switch (shape.type) {
    case "text":
      return typeof value === "string"
        ? textProblem(value, shape, names).flatMap(wrong)
        : wrong("A text is missing.");
    case "number":
      return Number.isInteger(value) && (value as number) >= shape.min && (value as number) <= shape.max
        ? []
        : wrong(`Enter a whole number from ${shape.min} to ${shape.max}.`);
    case "choice":
      return shape.of.includes(value as string) ? [] : wrong("Choose one from the list.");
    case "list":
      if (!Array.isArray(value)) return wrong("A list is missing.");
      if (value.length > shape.max) return wrong(`Limit: ${shape.max} here.`);
      return [
        ...value.flatMap((item, at) => problemsOf(item, shape.of, names, below(path, String(at)))),
        ...(shape.unique === undefined ? [] : twins(value, shape.unique, path)),
      ];
    case "fields": {
      if (typeof value !== "object" || value === null || Array.isArray(value))
        return wrong("Fields are missing.");
      const given = value as Record<string, unknown>;
      const unknown = Object.keys(given).filter((name) => !Object.hasOwn(shape.fields, name));
      return [
        ...unknown.map((name) => ({ path: below(path, name), message: "This field does not exist." })),
        ...Object.entries(shape.fields).flatMap(([name, field]) =>
          given[name] === undefined && field.optional
            ? []
            : problemsOf(given[name], field, names, below(path, name)),
        ),
      ];
    }
  }
}

/** A problem for every duplicate after the first. */
function twins(items: readonly unknown[], field: string, path: string): Problem[] {
  const values = items.map((item) => (item as Record<string, unknown> | null)?.[field]);
  return values.flatMap((value, at) =>
    value !== undefined && values.indexOf(value) < at
      ? [{ path: below(path, `${at}.${field}`), message: "This is already in the list." }]
      : [],
  );
}

const below = (path: string, name: string) => (path === "" ? name : `${path}.${name}`);

function textProblem(text: string, shape: TextShape, names: readonly string[]): string[] {
  if (text === "" && shape.empty) return [];
  if (text.trim() === "") return ["Fill this in."];
  // Counted as PostgreSQL counts: an emoji is one character.
  const length = [...text].length;
  if (length > shape.max) return [`Use at most ${shape.max} characters. This has ${length}.`];
  if (UNSHOWABLE.test(text) || (!shape.lines && text.includes("\n")))
    return ["This has a character that cannot be shown, or a line break."];
  const isLike =
    (!shape.pattern || new RegExp(`^(?:${shape.pattern})$`).test(text)) &&
    (!shape.format || reachableEmailPattern.test(text));
  if (!isLike) return [`Enter ${shape.like}.`];
  const unknown = [...text.matchAll(PLACEHOLDER)].find(([, name]) => !names.includes(name!));
  return unknown ? [`${unknown[0]} is not a fact of the festival.`] : [];
}
