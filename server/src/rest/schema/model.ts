// What the service knows of an exposed schema: tables, how they relate, functions, and type names.

export interface Column {
  readonly name: string;
  /** As format_type returns it, with its length, which json_to_recordset needs. */
  readonly type: string;
  /** SQL text of the default. */
  readonly default: string | null;
  /** For the OpenAPI document: the type without its length, or a domain's base type. */
  readonly baseType: string;
  readonly nullable: boolean;
  readonly maxLength: number | null;
  readonly enum: readonly string[];
  readonly description: string | null;
}

export interface Table {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  readonly isView: boolean;
  readonly columns: ReadonlyMap<string, Column>;
  readonly primaryKey: readonly string[];
  readonly insertable: boolean;
  readonly updatable: boolean;
  readonly deletable: boolean;
  readonly description: string | null;
}

/** Pairs of the column here and the column there. */
export type ColumnPairs = readonly (readonly [here: string, there: string])[];

interface Edge {
  /** The table this relationship is seen from. */
  readonly table: string;
  readonly foreignTable: string;
  readonly foreignIsView: boolean;
}

export type Relationship =
  | (Edge & {
      readonly kind: "key";
      readonly cardinality: "many-to-one" | "one-to-one" | "one-to-many";
      readonly constraint: string;
      readonly columns: ColumnPairs;
      /** Seen from the table that the key refers to. */
      readonly inverse: boolean;
    })
  | (Edge & {
      readonly kind: "junction";
      readonly cardinality: "many-to-many";
      readonly junction: string;
      readonly constraints: readonly [source: string, target: string];
      /** This table's columns with the junction's. */
      readonly source: ColumnPairs;
      /** The foreign table's columns with the junction's. */
      readonly target: ColumnPairs;
    })
  | (Edge & {
      /** A function from a row of the table to rows of the foreign table. */
      readonly kind: "computed";
      readonly cardinality: "many-to-one" | "one-to-many";
      readonly function: string;
    });

export const isToOne = (relationship: Relationship): boolean =>
  relationship.cardinality === "many-to-one" || relationship.cardinality === "one-to-one";

export interface Parameter {
  /** Empty for an unnamed parameter. */
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly variadic: boolean;
}

export interface Routine {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  readonly parameters: readonly Parameter[];
  /** `row`: of a named type, such as a table's; `record`: columns of its own. */
  readonly returns: "void" | "scalar" | "row" | "record";
  /** Name of the returned row type. It is a table's name where the function returns that table's rows. */
  readonly returnType: string;
  /** The media type the answer may be requested as: the name of the returned domain, such as `text/plain`. */
  readonly mediaType: string | undefined;
  readonly returnsSet: boolean;
  readonly volatility: "immutable" | "stable" | "volatile";
  readonly description: string | null;
}

/** Whether its results have columns of their own, unlike a scalar. */
export const returnsColumns = ({ returns }: Routine): boolean => returns === "row" || returns === "record";

export interface SchemaCache {
  readonly schema: string;
  readonly description: string | null;
  readonly tables: ReadonlyMap<string, Table>;
  /** By the table they are seen from. */
  readonly relationships: ReadonlyMap<string, readonly Relationship[]>;
  readonly routines: ReadonlyMap<string, readonly Routine[]>;
  /** Type names usable in a cast, with their SQL. */
  readonly types: ReadonlyMap<string, string>;
}
