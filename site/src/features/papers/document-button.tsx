// The documents of an order: its tickets and its receipt as PDF.
import { FileText, Printer } from "lucide-react";
import { passesInFile } from "contract/tickets/documents";
import { shortId } from "#lib/format.ts";
import { Button } from "#ui/basics/button.tsx";
import { type OrderDocument, useDocument } from "./use-document.ts";

type Look = Pick<Parameters<typeof Button>[0], "size" | "variant" | "className">;

/** One file, or several for a large order. */
export function TicketsButtons({ orderId, passes, ...look }: Look & { orderId: string; passes: number }) {
  const parts = Math.ceil(passes / passesInFile);
  return Array.from({ length: parts }, (_, index) => (
    <DocumentButton
      key={index}
      {...look}
      wanted={{ orderId, document: "tickets", part: index + 1 }}
      label={parts === 1 ? "Tickets as PDF" : `Tickets as PDF, ${index + 1} of ${parts}`}
    />
  ));
}

export function ReceiptButton({ orderId, ...look }: Look & { orderId: string }) {
  return <DocumentButton {...look} wanted={{ orderId, document: "receipt" }} label="Receipt as PDF" />;
}

function DocumentButton({ wanted, label, ...look }: Look & { wanted: OrderDocument; label: string }) {
  const { isMaking, save } = useDocument();
  const Icon = wanted.document === "tickets" ? Printer : FileText;
  return (
    <Button
      variant="secondary"
      {...look}
      busy={isMaking}
      aria-label={`${label} for order ${shortId(wanted.orderId)}`}
      onClick={() => void save(wanted)}
    >
      <Icon aria-hidden="true" className="size-4 shrink-0" strokeWidth={2.5} />
      {label}
    </Button>
  );
}
