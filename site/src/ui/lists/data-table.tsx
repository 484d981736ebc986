// A plain table: captioned, and scrollable by keyboard when it is wider than its place. On a phone each row becomes a card
// with the column's name before each value; the roles keep it a table for screen readers.
// oxlint-disable jsx-a11y/no-redundant-roles, jsx-a11y/no-interactive-element-to-noninteractive-role -- Safari drops a
// table's semantics when its layout changes, unless the roles say so
import { Fragment, type ReactNode } from "react";
import { classNames } from "../basics/class-names.ts";

export interface Column<Row> {
  key: string;
  header: ReactNode;
  cell: (row: Row) => ReactNode;
  /** Aligned right, in tabular numerals. */
  numeric?: boolean;
}

interface DataTableProps<Row> {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** Shown in place of rows when there are none. */
  empty?: ReactNode;
  /** What a row shows below itself across the whole width, if anything. */
  below?: (row: Row) => ReactNode;
}

export function DataTable<Row>({ caption, columns, rows, rowKey, empty, below }: DataTableProps<Row>) {
  return (
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
        <tbody role="rowgroup" className="max-sm:block">
          {rows.map((row) => {
            const lower = below?.(row);
            return (
              <Fragment key={rowKey(row)}>
                <BodyRow columns={columns} row={row} />
                {lower && (
                  <tr role="row" className="max-sm:block">
                    <td role="cell" colSpan={columns.length} className="px-3.5 pb-3 max-sm:block">
                      {lower}
                    </td>
                  </tr>
                )}
              </Fragment>
            );
          })}
          {rows.length === 0 && (
            <tr role="row" className="max-sm:block">
              <td role="cell" colSpan={columns.length} className="px-3.5 py-8 text-ink-soft max-sm:block">
                {empty ?? "Nothing here yet."}
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
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

function BodyRow<Row>({ columns, row }: { columns: readonly Column<Row>[]; row: Row }) {
  return (
    <tr
      role="row"
      className="border-t border-ink/12 first:border-t-0 hover:bg-paper-deep/40 max-sm:block max-sm:border-ink/30 max-sm:py-2"
    >
      {columns.map((column) => (
        <td
          key={column.key}
          role="cell"
          data-label={typeof column.header === "string" ? column.header : undefined}
          className={classNames(
            "px-2 py-2 align-middle max-sm:px-3.5 xl:px-3.5",
            "max-sm:flex max-sm:items-baseline max-sm:justify-between max-sm:gap-5 max-sm:py-1",
            "max-sm:before:shrink-0 max-sm:before:text-sm max-sm:before:text-ink-soft max-sm:before:content-[attr(data-label)]",
            column.numeric && "text-right tabular-nums",
          )}
        >
          <div className="max-sm:min-w-0 max-sm:text-right max-sm:break-words">{column.cell(row)}</div>
        </td>
      ))}
    </tr>
  );
}
