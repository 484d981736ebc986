// The tickets of an order with their attendees. Some of them can be chosen and refunded.
import { useState } from "react";
import { count, formatStamp } from "#lib/format.ts";
import { AlertDialog } from "#ui/alert-dialog.tsx";
import { Badge } from "#ui/badge.tsx";
import { Button } from "#ui/button.tsx";
import { DataTable, type Column } from "#ui/data-table.tsx";
import { Panel } from "#ui/panel.tsx";
import { formatCents, toCents } from "contract/money";
import type { OrderCase } from "./model.ts";
import { refund, useOrderAct } from "./queries.ts";

type Ticket = OrderCase["tickets"][number];

export function OrderTickets({ order }: { order: OrderCase }) {
  const act = useOrderAct(order.id);
  const [picked, setPicked] = useState<readonly string[]>([]);
  const [asking, setAsking] = useState(false);
  const paid = order.status === "confirmed" || order.status === "completed";
  const itemOf = (ticket: Ticket) => order.order_items.find(({ id }) => id === ticket.order_item_id);
  // A ticket refunded by somebody else meanwhile is no longer chosen.
  const chosen = order.tickets.filter(({ id, voided_at }) => picked.includes(id) && !voided_at);
  const amount = chosen.reduce((sum, ticket) => sum + toCents(itemOf(ticket)?.unit_price ?? 0), 0);

  const columns: Column<Ticket>[] = [
    ...(paid
      ? [
          {
            key: "pick",
            header: <span className="sr-only">Choose</span>,
            cell: (ticket: Ticket) =>
              ticket.voided_at ? null : (
                <input
                  type="checkbox"
                  className="size-5 accent-slab"
                  aria-label={`Choose the ticket of ${ticket.attendee_name}`}
                  checked={picked.includes(ticket.id)}
                  onChange={(event) =>
                    setPicked(
                      event.target.checked ? [...picked, ticket.id] : picked.filter((id) => id !== ticket.id),
                    )
                  }
                />
              ),
          },
        ]
      : []),
    { key: "type", header: "Ticket", cell: (ticket) => itemOf(ticket)?.name },
    {
      key: "attendee",
      header: "Attendee",
      cell: (ticket) => (
        <>
          {ticket.attendee_name}
          <span className="block text-sm text-ink-soft">{ticket.attendee_email}</span>
        </>
      ),
    },
    { key: "state", header: "State", cell: (ticket) => <TicketState ticket={ticket} /> },
  ];

  return (
    <Panel
      title="Tickets"
      aside={
        chosen.length > 0 && (
          <Button size="small" variant="danger" disabled={act.isPending} onClick={() => setAsking(true)}>
            Refund {count(chosen.length, "ticket")}
          </Button>
        )
      }
    >
      {order.tickets.length > 0 ? (
        <DataTable
          caption="Tickets of the order"
          rows={order.tickets.toSorted((a, b) => a.position - b.position)}
          rowKey={(ticket) => ticket.id}
          columns={columns}
        />
      ) : (
        <Attendees order={order} />
      )}
      <AlertDialog
        open={asking}
        onOpenChange={setAsking}
        title={`Refund ${count(chosen.length, "ticket")}?`}
        confirmLabel={`Refund ${formatCents(amount)}`}
        cancelLabel="Keep the tickets"
        destructive
        onConfirm={() => act.mutate(refund(chosen.map(({ id }) => id)), { onSuccess: () => setPicked([]) })}
      >
        {chosen.map(({ attendee_name }) => attendee_name).join(", ")}:{" "}
        {chosen.length === 1
          ? "this ticket stops working and is for sale again."
          : "these tickets stop working and are for sale again."}{" "}
        The rest of the order stays. This cannot be undone.
      </AlertDialog>
    </Panel>
  );
}

function TicketState({ ticket }: { ticket: Ticket }) {
  if (ticket.voided_at) return <Badge tone="danger">Refunded</Badge>;
  if (ticket.checked_in_at) return <Badge tone="success">In since {formatStamp(ticket.checked_in_at)}</Badge>;
  return <Badge>Valid</Badge>;
}

/** Before it is paid an order has attendees but no tickets. */
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
