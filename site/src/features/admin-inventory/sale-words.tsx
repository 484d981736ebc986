// How the back office describes whether something is for sale.
import type { Sale, SaleState } from "contract/shop/sale";
import { formatMoment } from "#lib/format.ts";
import { Badge } from "#ui/basics/badge.tsx";

const words = {
  open: ["success", "On sale"],
  paused: ["danger", "Stopped"],
  upcoming: ["warning", "Not open yet"],
  ended: ["default", "Ended"],
} as const;

export const saleWord = (state: SaleState) => words[state][1];

export function SaleBadge({ state }: { state: SaleState }) {
  return <Badge tone={words[state][0]}>{saleWord(state)}</Badge>;
}

/** "Opens Jun 1, 2025, 10:00 AM; closes …", or undefined without a window. */
export function windowText({ sale_opens_at, sale_closes_at }: Sale): string | undefined {
  const parts = [
    sale_opens_at && `opens ${formatMoment(sale_opens_at)}`,
    sale_closes_at && `closes ${formatMoment(sale_closes_at)}`,
  ].filter(Boolean);
  return parts.length > 0 ? `${parts.join(", ")} Central` : undefined;
}
