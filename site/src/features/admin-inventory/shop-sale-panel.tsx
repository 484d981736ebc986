// The shop's sale: a switch that takes effect at once, and a form with the sale window and what VIP includes.
import { saleState } from "contract/shop/sale";
import { useState } from "react";
import { useUnsaved } from "#lib/browser/unsaved.ts";
import { differences } from "#lib/differences.ts";
import { serverNow } from "#lib/time/server-clock.ts";
import { AlertDialog } from "#ui/overlays/alert-dialog.tsx";
import { Button } from "#ui/basics/button.tsx";
import { Checkbox } from "#ui/forms/checkbox.tsx";
import { FieldError } from "#ui/forms/field.tsx";
import { useTypedOver } from "#ui/forms/use-typed-over.ts";
import { Panel } from "#ui/page/panel.tsx";
import { ErrorState } from "#ui/page/screen-states.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";
import { changeShopSale, useShopSale, type ShopSale } from "./queries.ts";
import { SaleBadge, windowText } from "./sale-words.tsx";
import { useAct } from "./use-act.ts";
import { CLOSES, windowDraft, WindowFields, windowOf } from "./window-fields.tsx";

export function ShopSalePanel() {
  const { data: sale, error, isError, refetch } = useShopSale();
  if (!sale) {
    return isError ? (
      <ErrorState title="The sales status couldn't be loaded." cause={error} onRetry={() => void refetch()} />
    ) : (
      <Skeleton className="h-44" />
    );
  }
  return (
    <Panel title="Sales" aside={<SaleBadge state={saleState(sale, serverNow())} />}>
      <SaleSwitch sale={sale} />
      <SaleForm sale={sale} />
    </Panel>
  );
}

const said = {
  open: "Everything is on sale except items below that are stopped, hidden or outside their own sale window.",
  paused:
    "Sales are off, and returned units don't reopen them. Buyers who are holding tickets can still pay.",
  upcoming: "Sales haven't opened yet.",
  ended: "Sales are closed. Buyers who are holding tickets can still pay.",
} as const;

function SaleSwitch({ sale }: { sale: ShopSale }) {
  const { act, busy, problem } = useAct("Sales stopped");
  const [asking, setAsking] = useState(false);
  const stop = () => void act(() => changeShopSale({ on_sale: false }));
  const start = () => void act(() => changeShopSale({ on_sale: true }), undefined, "Sales started");
  const when = windowText(sale);
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
      <p className="max-w-prose min-w-0 flex-1 basis-72">
        {said[saleState(sale, serverNow())]}
        {when && <span className="block text-sm text-ink-soft">The shop {when}.</span>}
      </p>
      <Button
        size="small"
        variant={sale.on_sale ? "danger" : "primary"}
        busy={busy}
        onClick={() => (sale.on_sale ? setAsking(true) : start())}
      >
        {sale.on_sale ? "Stop Sales" : "Start Sales"}
      </Button>
      {problem && <FieldError>{problem}</FieldError>}
      <AlertDialog
        open={asking}
        onOpenChange={setAsking}
        title="Stop all sales?"
        confirmLabel="Stop sales"
        cancelLabel="Keep selling"
        destructive
        // Not the opposite of what is shown: somebody else may have stopped the sales while the question was open.
        onConfirm={stop}
      >
        The tickets page will say that sales are paused, and no new orders are accepted until you restart
        them. Buyers who are holding tickets can still pay.
      </AlertDialog>
    </div>
  );
}

function SaleForm({ sale }: { sale: ShopSale }) {
  const { act, busy, problem, column } = useAct("Sale settings saved");
  const { fields, type, settle } = useTypedOver({
    ...windowDraft(sale),
    includes: sale.vip_includes_parking,
  });
  const { includes, ...draft } = fields;
  const change = differences(sale, { ...windowOf(draft, sale), vip_includes_parking: includes });
  const same = Object.keys(change).length === 0;
  useUnsaved(!same);
  return (
    <form
      aria-label="Sale settings"
      className="mt-4 grid items-start gap-4 border-t border-ink/20 pt-4 xl:grid-cols-2"
      onSubmit={(event) => {
        event.preventDefault();
        void act(
          () => changeShopSale(change),
          () => settle(fields),
        );
      }}
    >
      <WindowFields draft={draft} onChange={type} error={column === CLOSES ? problem : undefined} />
      <div className="flex flex-wrap items-end justify-between gap-4 xl:pt-7">
        <Checkbox
          className="min-w-0 flex-1 basis-64"
          label={
            <>
              VIP includes one general parking pass
              <span className="block text-sm text-ink-soft">
                When none are left, VIP can't be sold. Existing orders keep theirs.
              </span>
            </>
          }
          checked={includes}
          onChange={(event) => type({ includes: event.target.checked })}
        />
        <Button type="submit" size="small" variant="secondary" busy={busy} disabled={same}>
          Apply
        </Button>
      </div>
      {problem && column !== CLOSES && <FieldError>{problem}</FieldError>}
    </form>
  );
}
