import { Badge } from "#ui/basics/badge.tsx";

/** Highlights confirmed orders only. */
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
