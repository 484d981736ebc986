// A plain table: captioned, and scrollable by keyboard when it is wider than its place. On a phone each row becomes a card of
// a few lines: who or what it is and its state above, the rest side by side below, each value after its column's name. The
// roles keep it a table for screen readers.
// oxlint-disable jsx-a11y/no-redundant-roles, jsx-a11y/no-interactive-element-to-noninteractive-role -- Safari drops a
// table's semantics when its layout changes, unless the roles say so
import { Fragment, type ReactNode, useState } from "react";
import { Button } from "../basics/button.tsx";
import { classNames } from "../basics/class-names.ts";

export interface Column<Row> {
  key: string;
  header: ReactNode;
  cell: (row: Row) => ReactNode;
  /** Aligned right, in tabular numerals. */
  numeric?: boolean;
  /** Its place in a phone's card: "head" for the first column, otherwise "value". */
  phone?: PhonePlace;
}

type PhonePlace = keyof typeof phonePlaces;

const named =
  "max-sm:order-2 max-sm:before:shrink-0 max-sm:before:text-sm max-sm:before:text-ink-soft max-sm:before:content-[attr(data-label)]";

/** The row wraps at order 1. Self-explanatory values are shown without their column's name. */
const phonePlaces = {
  mark: "max-sm:relative max-sm:top-1", // a box stands on the line, and looks too high beside its words
  head: "max-sm:min-w-2/5 max-sm:flex-1 max-2xs:basis-4/5",
  corner: "max-sm:ml-auto max-sm:text-right max-2xs:ml-0 max-2xs:text-left",
  value: named,
  plain: "max-sm:order-2",
  line: "max-sm:order-3 max-sm:basis-full",
  end: "max-sm:order-4 max-sm:ml-auto",
} as const;

interface DataTableProps<Row> {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** Shown in place of rows when there are none. */
  empty?: ReactNode;
  /** Content below a row across the whole width, if any. */
  below?: (row: Row) => ReactNode;
  /** How many rows a phone shows before the user asks for all of them. */
  phoneRows?: number;
}

export function DataTable<Row>({
  caption,
  columns,
  rows,
  rowKey,
  empty,
  below,
  phoneRows = Infinity,
}: DataTableProps<Row>) {
  const [unfolded, setUnfolded] = useState(false);
  return (
    <>
      <div
        role="region"
        aria-label={caption}
        tabIndex={0}
        className="relative overflow-x-auto border border-ink/20 bg-sheet"
      >
        <table
          role="table"
          className="w-full border-collapse text-left text-[0.9375rem] leading-snug max-sm:block"
        >
          <caption className="sr-only">{caption}</caption>
          <thead role="rowgroup" className="border-b-2 border-ink bg-paper-deep/60 text-sm max-sm:sr-only">
            <tr role="row">
              {columns.map((column) => (
                <HeadCell key={column.key} column={column} />
              ))}
            </tr>
          </thead>
          <Body
            columns={columns}
            rows={rows}
            rowKey={rowKey}
            empty={empty}
            below={below}
            most={unfolded ? Infinity : phoneRows}
          />
        </table>
      </div>
      {rows.length > phoneRows && (
        <Button
          size="small"
          variant="secondary"
          className="mt-3 sm:hidden"
          aria-expanded={unfolded}
          onClick={() => setUnfolded(!unfolded)}
        >
          {unfolded ? "Show Fewer" : `Show All ${rows.length.toLocaleString("en-US")}`}
        </Button>
      )}
    </>
  );
}

type BodyProps<Row> = Omit<DataTableProps<Row>, "caption" | "phoneRows"> & {
  /** How many rows a phone shows. */
  most: number;
};

function Body<Row>({ columns, rows, rowKey, empty, below, most }: BodyProps<Row>) {
  return (
    <tbody role="rowgroup" className="max-sm:block">
      {rows.map((row, index) => (
        <Fragment key={rowKey(row)}>
          <BodyRow columns={columns} row={row} folded={index >= most} />
          <LowerRow columns={columns.length} folded={index >= most}>
            {below?.(row)}
          </LowerRow>
        </Fragment>
      ))}
      {rows.length === 0 && (
        <tr role="row" className="max-sm:block">
          <td role="cell" colSpan={columns.length} className="px-3.5 py-8 text-ink-soft max-sm:block">
            {empty ?? "Nothing here yet."}
          </td>
        </tr>
      )}
    </tbody>
  );
}

interface LowerRowProps {
  columns: number;
  folded: boolean;
  children: ReactNode;
}

function LowerRow({ columns, folded, children }: LowerRowProps) {
  if (!children) return null;
  return (
    <tr role="row" className={folded ? "max-sm:hidden" : "max-sm:block"}>
      <td role="cell" colSpan={columns} className="px-3.5 pb-3 max-sm:block">
        {children}
      </td>
    </tr>
  );
}

function HeadCell<Row>({ column }: { column: Column<Row> }) {
  return (
    <th
      role="columnheader"
      scope="col"
      className={classNames(
        "px-2 py-2 font-semibold xl:px-3.5 xl:whitespace-nowrap",
        column.numeric && "text-right",
      )}
    >
      {column.header}
    </th>
  );
}

interface BodyRowProps<Row> {
  columns: readonly Column<Row>[];
  row: Row;
  folded: boolean;
}

function BodyRow<Row>({ columns, row, folded }: BodyRowProps<Row>) {
  return (
    <tr
      role="row"
      className={classNames(
        "border-t border-ink/12 first:border-t-0 hover:bg-paper-deep/40",
        folded ? "max-sm:hidden" : "max-sm:flex",
        "max-sm:flex-wrap max-sm:items-baseline max-sm:gap-x-4 max-sm:gap-y-1 max-sm:border-ink/30 max-sm:px-3.5 max-sm:py-2.5",
        "max-sm:after:order-1 max-sm:after:basis-full max-sm:after:content-['']",
      )}
    >
      {columns.map((column, index) => (
        <td
          key={column.key}
          role="cell"
          data-label={typeof column.header === "string" ? column.header : undefined}
          className={classNames(
            "align-middle sm:px-2 sm:py-2 xl:px-3.5",
            "max-sm:flex max-sm:max-w-full max-sm:min-w-0 max-sm:items-baseline max-sm:gap-x-1.5 max-2xs:flex-wrap max-sm:has-[>div:empty]:hidden",
            phonePlaces[column.phone ?? (index === 0 ? "head" : "value")],
            column.numeric && "tabular-nums sm:text-right",
          )}
        >
          <div className="max-sm:min-w-0 max-sm:grow max-sm:break-words">{column.cell(row)}</div>
        </td>
      ))}
    </tr>
  );
}
