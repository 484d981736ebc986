// Closing a till: the counted amount, then the expected one. Stays open with the difference until the seller dismisses it.
import { useQueryClient } from "@tanstack/react-query";
import { formatCents, toCents } from "contract/shop/money";
import { useState } from "react";
import { formatPrice } from "#lib/format.ts";
import { readTillsAgain, TILL } from "#lib/lists/till-reads.ts";
import { Button } from "#ui/basics/button.tsx";
import { CountedCash } from "#ui/forms/counted-cash.tsx";
import { Dialog } from "#ui/overlays/dialog.tsx";
import type { Shift, Till } from "./model.ts";
import { closeTill, type Closing } from "./queries.ts";

export function CloseTillDialog({ shift, onClose }: { shift: Shift; onClose: () => void }) {
  const queryClient = useQueryClient();
  const [closed, setClosed] = useState<Closing>();

  async function close(counted: number, note: string) {
    setClosed(await closeTill(shift.id, counted, note));
    // The result is known without another read.
    queryClient.setQueryData<Till>([TILL], (till) => till && { ...till, shift: null, recent: [] });
    void readTillsAgain(queryClient);
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={closed ? "Till closed" : "Close your till"}
      description={
        closed ? differenceText(closed) : "Count all cash in the drawer, including your starting change."
      }
      {...(closed && {
        actions: (
          <Button size="small" onClick={onClose}>
            Done
          </Button>
        ),
      })}
    >
      {closed ? (
        <Balance closed={closed} />
      ) : (
        <CountedCash noteHint="Shown in the till report." onCount={close} onCancel={onClose} />
      )}
    </Dialog>
  );
}

function Balance({ closed: { expected, counted, difference } }: { closed: Closing }) {
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1 tabular-nums">
      <dt>Expected</dt>
      <dd>{formatPrice(expected)}</dd>
      <dt>Counted</dt>
      <dd>{formatPrice(counted)}</dd>
      <dt className="font-bold">Difference</dt>
      <dd className="font-bold">{formatPrice(difference)}</dd>
    </dl>
  );
}

function differenceText({ difference }: Closing): string {
  const cents = toCents(difference);
  if (cents === 0) return "The drawer balances.";
  return cents > 0
    ? `${formatCents(cents)} more than expected.`
    : `${formatCents(-cents)} less than expected.`;
}
