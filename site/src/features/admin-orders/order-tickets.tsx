// An order's tickets with their attendees, and its parking. Those that are not refunded yet can be chosen and refunded.
import { useState } from "react";
import { count, formatStamp, isolated } from "#lib/format.ts";
import { AlertDialog } from "#ui/overlays/alert-dialog.tsx";
import { Badge } from "#ui/basics/badge.tsx";
import { Button } from "#ui/basics/button.tsx";
import { EmailText } from "#ui/basics/email-text.tsx";
import { DataTable, type Column } from "#ui/lists/data-table.tsx";
import { Panel } from "#ui/page/panel.tsx";
import { formatCents } from "contract/money";
import { entriesOf, isPaid, refundOf, type Entry } from "./refund-choice.ts";
import { placeText, type OrderCase } from "./model.ts";
import { refund, useOrderAct } from "./queries.ts";

export function OrderTickets({ order }: { order: OrderCase }) {
  const act = useOrderAct(order.id);
  const [picked, setPicked] = useState<readonly string[]>([]);
  const [asking, setAsking] = useState(false);
  const entries = entriesOf(order);
  // Somebody else may have refunded some of them meanwhile.
  const chosen = entries.filter(({ id, refundable }) => picked.includes(id) && refundable);

  const pick: Column<Entry> = {
    key: "pick",
    header: <span className="sr-only">Choose</span>,
    cell: (entry) =>
      entry.refundable && (
        <PickBox
          entry={entry}
          checked={picked.includes(entry.id)}
          onPick={(chosen) =>
            setPicked(chosen ? [...picked, entry.id] : picked.filter((other) => other !== entry.id))
          }
        />
      ),
  };

  return (
    <Panel
      title="Tickets"
      aside={
        chosen.length > 0 && (
          <Button size="small" variant="danger" disabled={act.isPending} onClick={() => setAsking(true)}>
            Refund {wordsFor(chosen).what}
          </Button>
        )
      }
    >
      {order.tickets.length > 0 ? (
        <DataTable
          caption="Tickets and parking of the order"
          rows={entries}
          rowKey={({ id }) => id}
          columns={isPaid(order) ? [pick, ...columns] : columns}
        />
      ) : (
        <Attendees order={order} />
      )}
      <RefundDialog
        {...{ order, chosen }}
        open={asking}
        onOpenChange={setAsking}
        onConfirm={() => act.mutate(refund(idsOf(chosen)), { onSuccess: () => setPicked([]) })}
      />
    </Panel>
  );
}

interface PickBoxProps {
  entry: Entry;
  checked: boolean;
  onPick: (picked: boolean) => void;
}

function PickBox({ entry: { attendee, name }, checked, onPick }: PickBoxProps) {
  return (
    <input
      type="checkbox"
      className="size-5 accent-slab"
      aria-label={`Choose the ${attendee ? `ticket of ${attendee.name}` : name}`}
      checked={checked}
      onChange={({ target }) => onPick(target.checked)}
    />
  );
}

interface RefundDialogProps {
  order: OrderCase;
  chosen: readonly Entry[];
  open: boolean;
  onOpenChange: (open: boolean) => void;
  onConfirm: () => void;
}

function RefundDialog({ order, chosen, open, onOpenChange, onConfirm }: RefundDialogProps) {
  const { cents, ends } = refundOf(order, chosen);
  const { what, kept, outcome } = wordsFor(chosen);
  return (
    <AlertDialog
      open={open}
      onOpenChange={onOpenChange}
      title={`Refund ${what}?`}
      confirmLabel={`Refund ${formatCents(cents)}`}
      cancelLabel={`Keep ${kept}`}
      destructive
      onConfirm={onConfirm}
    >
      {chosen.map(({ name, attendee }) => isolated(attendee?.name ?? name)).join(", ")}: {outcome}{" "}
      {restOf(entriesOf(order), ends)} This cannot be undone.
    </AlertDialog>
  );
}

const idsOf = (chosen: readonly Entry[]) => ({
  tickets: chosen.filter(({ kind }) => kind === "ticket").map(({ id }) => id),
  parking: chosen.filter(({ kind }) => kind === "parking").map(({ id }) => id),
});

/** How to speak of what is refunded. */
function wordsFor(chosen: readonly Entry[]) {
  const one = chosen.length === 1;
  const tickets = chosen.every(({ kind }) => kind === "ticket");
  return {
    what: count(chosen.length, tickets ? "ticket" : "item"),
    kept: tickets ? (one ? "the ticket" : "the tickets") : one ? "it" : "them",
    outcome: one ? "it stops working and is for sale again." : "they stop working and are for sale again.",
  };
}

const columns: readonly Column<Entry>[] = [
  {
    key: "type",
    header: "Ticket",
    cell: ({ name, codeIds }) => (
      <>
        {name}
        {/* The end of a code is what people read aloud at the gate. */}
        <span className="block font-mono text-sm text-ink-soft">
          {codeIds.map((id) => `…${id.slice(-6)}`).join(" ")}
        </span>
      </>
    ),
  },
  {
    key: "attendee",
    header: "Attendee",
    cell: ({ attendee, codeIds }) =>
      attendee ? (
        <div className="wrap-anywhere sm:min-w-36 xl:min-w-48">
          {attendee.name}
          <EmailText className="block text-sm text-ink-soft">{attendee.email}</EmailText>
        </div>
      ) : (
        <span className="text-ink-soft">
          {codeIds.length > 1 ? `${codeIds.length} vehicles` : "One vehicle"}
        </span>
      ),
  },
  { key: "state", header: "State", cell: (entry) => <EntryState entry={entry} /> },
];

/** What becomes of the rest of the order. */
function restOf(entries: readonly Entry[], ends: boolean): string {
  const parking = entries.filter(({ kind, refunded }) => kind === "parking" && !refunded);
  if (ends) {
    return `No ticket is left then: the order ends${parking.length > 0 ? ", and its parking is refunded with it" : ""}.`;
  }
  const included = parking.some(({ included }) => included);
  return `The rest of the order stays.${included ? " Included parking goes with the last VIP ticket." : ""}`;
}

function EntryState({ entry: { refunded, checkedInAt, kind, included, admissions } }: { entry: Entry }) {
  if (refunded) return <Badge tone="danger">{included ? "Returned" : "Refunded"}</Badge>;
  if (checkedInAt) {
    const places = admissions
      .filter(({ undone_at }) => undone_at === null)
      .toSorted((one, other) => Date.parse(one.admitted_at) - Date.parse(other.admitted_at));
    return (
      <>
        <Badge tone="success">In since {formatStamp(checkedInAt)}</Badge>
        {places.map((admission) => (
          <span key={admission.id} className="mt-1 block text-sm text-ink-soft">
            {placeText(admission)}
            {admission.conflicts_with !== null && (
              <strong className="text-candy-deep"> again, {formatStamp(admission.admitted_at)}</strong>
            )}
          </span>
        ))}
      </>
    );
  }
  return <Badge>{kind === "parking" && included ? "Included" : "Valid"}</Badge>;
}

/** An unpaid order has attendees but no tickets. */
function Attendees({ order }: { order: OrderCase }) {
  const attendees = Array.isArray(order.attendees) ? order.attendees : [];
  return (
    <>
      <p className="text-ink-soft">No tickets have been issued.</p>
      {attendees.length > 0 && (
        <ul className="mt-2 text-[0.9375rem]">
          {attendees.map((attendee, index) => {
            const { name, email } = attendee as { name?: string; email?: string };
            return (
              <li key={index}>
                {name} <span className="text-ink-soft">{email}</span>
              </li>
            );
          })}
        </ul>
      )}
    </>
  );
}
