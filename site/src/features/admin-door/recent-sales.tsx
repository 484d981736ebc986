import { Link } from "react-router";
import { toCents } from "contract/shop/money";
import { formatClock } from "#lib/format.ts";
import { useSession } from "#lib/session/session.tsx";
import { Badge } from "#ui/basics/badge.tsx";
import { Button } from "#ui/basics/button.tsx";
import { Panel } from "#ui/page/panel.tsx";
import { paidWords, type RecentSale } from "./model.ts";

interface RecentSalesProps {
  sales: readonly RecentSale[];
  onShow: (sale: RecentSale) => void;
}

/** The last sales of this till, the latest first. An administrator voids one on its order's page. */
export function RecentSales({ sales, onShow }: RecentSalesProps) {
  const { role } = useSession();
  return (
    <Panel title="Recent sales">
      {sales.length === 0 && <p className="text-ink-soft">Nothing sold yet.</p>}
      <ul className="divide-y divide-ink/12">
        {sales.map((sale) => (
          <li
            key={sale.order_id}
            className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1 py-2.5"
          >
            <span className="min-w-0 text-[0.9375rem]">
              <span className="block wrap-anywhere">{sale.items}</span>
              <span className="block text-sm text-ink-soft tabular-nums">
                {formatClock(Date.parse(sale.at))} · {paidWords(toCents(sale.amount), sale.method)}
              </span>
            </span>
            <span className="flex items-center gap-2">
              {sale.is_void ? (
                <Badge tone="danger">Void</Badge>
              ) : (
                <Button
                  size="small"
                  variant="secondary"
                  aria-label={`Codes for ${sale.items}`}
                  onClick={() => onShow(sale)}
                >
                  Codes
                </Button>
              )}
              {role === "admin" && (
                <Link
                  to={`/admin/orders/${sale.order_id}`}
                  className="inline-flex min-h-9 items-center px-1 underline underline-offset-4"
                  aria-label={`Order for ${sale.items}`}
                >
                  Order
                </Link>
              )}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
