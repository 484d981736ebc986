import { count, formatPrice, formatMoment } from "#lib/format.ts";
import { Button } from "#ui/basics/button.tsx";
import { Panel } from "#ui/page/panel.tsx";
import type { Shift } from "./model.ts";

/** The open till and its takings so far. The expected amount is shown only after counting. */
export function ShiftPanel({ shift, onClose }: { shift: Shift; onClose: () => void }) {
  const facts = [
    ["Sales", count(shift.sales, "sale") + (shift.voids > 0 ? `, ${shift.voids} voided` : "")],
    [
      "Cash taken",
      formatPrice(shift.cash) + (shift.cash_back > 0 ? `, ${formatPrice(shift.cash_back)} refunded` : ""),
    ],
    [
      "Cards",
      formatPrice(shift.card) + (shift.card_back > 0 ? `, ${formatPrice(shift.card_back)} refunded` : ""),
    ],
    ["Starting change", formatPrice(shift.float)],
    ["Open since", formatMoment(shift.opened_at)],
  ] as const;
  return (
    <Panel
      title="Your till"
      aside={
        <Button size="small" variant="secondary" onClick={onClose}>
          Close Till
        </Button>
      }
    >
      <dl className="grid gap-1.5 text-[0.9375rem]">
        {facts.map(([label, value]) => (
          <div key={label} className="flex justify-between gap-4">
            <dt className="text-ink-soft">{label}</dt>
            <dd className="text-right tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}
