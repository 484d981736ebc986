// What a buyer keeps of an order: its documents, the calendar entry, and its mails again.
import { Button } from "#ui/basics/button.tsx";
import { Card, CardTitle } from "#ui/page/card.tsx";
import { CalendarLinks } from "./calendar-links.tsx";
import { ReceiptButton } from "./document-button.tsx";
import { useSendAgain } from "./use-send-again.ts";

interface OrderPapersProps {
  orderId: string;
  /** It still has valid tickets. */
  isValid: boolean;
}

export function OrderPapers({ orderId, isValid }: OrderPapersProps) {
  return (
    <Card className="mt-6 print:hidden">
      <CardTitle>For Your Records</CardTitle>
      <div className="mt-4 flex flex-wrap gap-3">
        <ReceiptButton size="small" orderId={orderId} />
        {isValid && <CalendarLinks />}
        {isValid && <SendAgain orderId={orderId} />}
      </div>
    </Card>
  );
}

function SendAgain({ orderId }: { orderId: string }) {
  const { isSending, send } = useSendAgain(orderId);
  return (
    <Button size="small" variant="secondary" busy={isSending} onClick={send}>
      Send All Tickets Again
    </Button>
  );
}
