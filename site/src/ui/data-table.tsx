// A plain table of rows: captioned, scrollable by keyboard when it is wider than its place.
import { Fragment, type ReactNode } from "react";
import { classNames } from "./class-names.ts";

export interface Column<Row> {
  key: string;
  header: ReactNode;
  cell: (row: Row) => ReactNode;
  /** Figures stand right, in tabular numerals. */
  numeric?: boolean;
}

interface DataTableProps<Row> {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** Shown in place of rows when there are none. */
  empty?: ReactNode;
  /** What a row shows below itself over the whole width, if anything. */
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
      <table className="w-full border-collapse text-left text-[0.9375rem] leading-snug">
        <caption className="sr-only">{caption}</caption>
        <thead className="border-b-2 border-ink bg-paper-deep/60 text-sm">
          <tr>
            {columns.map((column) => (
              <th
                key={column.key}
                scope="col"
                className={classNames(
                  "px-3.5 py-2 font-semibold whitespace-nowrap",
                  column.numeric && "text-right",
                )}
              >
                {column.header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const lower = below?.(row);
            return (
              <Fragment key={rowKey(row)}>
                <tr className="border-t border-ink/12 first:border-t-0 hover:bg-paper-deep/40">
                  {columns.map((column) => (
                    <td
                      key={column.key}
                      className={classNames(
                        "px-3.5 py-2 align-middle",
                        column.numeric && "text-right tabular-nums",
                      )}
                    >
                      {column.cell(row)}
                    </td>
                  ))}
                </tr>
                {lower && (
                  <tr>
                    <td colSpan={columns.length} className="px-3.5 pb-3">
                      {lower}
                    </td>
                  </tr>
                )}
              </Fragment>
            );
          })}
          {rows.length === 0 && (
            <tr>
              <td colSpan={columns.length} className="px-3.5 py-8 text-ink-soft">
                {empty ?? "Nothing here yet."}
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}
