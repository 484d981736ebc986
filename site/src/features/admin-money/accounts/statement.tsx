import { formatCents } from "contract/shop/money";
import { classNames } from "#ui/basics/class-names.ts";
import { FoldingPanel } from "#ui/page/folding-panel.tsx";
import type { StatementRow } from "./accounts-model.ts";

/** A column of amounts and their total. */
export function Statement({ title, rows }: { title: string; rows: readonly StatementRow[] }) {
  const sum = rows.findLast(({ isSum }) => isSum);
  return (
    <FoldingPanel title={title} total={sum && formatCents(sum.cents)}>
      <table aria-label={title} className="w-full border-collapse text-left">
        <thead className="sr-only">
          <tr>
            <th scope="col">What</th>
            <th scope="col">Amount</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, label, note, cents, isSum }) => (
            <tr
              key={key}
              className={classNames(
                "align-baseline max-2xs:block",
                isSum ? "border-t-2 border-ink font-bold" : "border-t border-ink/12",
              )}
            >
              <th scope="row" className="py-1.5 pr-4 font-[inherit] max-2xs:block max-2xs:pb-0">
                {label}
                {note && <span className="block text-sm font-normal text-ink-soft">{note}</span>}
              </th>
              <td className="py-1.5 text-right whitespace-nowrap tabular-nums max-2xs:block max-2xs:pt-0">
                {formatCents(cents)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </FoldingPanel>
  );
}
