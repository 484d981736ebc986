import { Badge } from "#ui/basics/badge.tsx";

/** Confirmed is highlighted; every other status is quiet. */
export function OrderStatusBadge({ status }: { status: string }) {
  return (
    <Badge
      tone={status === "confirmed" ? "highlight" : "default"}
      className="capitalize [print-color-adjust:exact]"
    >
      {status}
    </Badge>
  );
}
