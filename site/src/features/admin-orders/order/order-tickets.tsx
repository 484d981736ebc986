// An order's tickets with their attendees, and its extras. Those not refunded yet can be chosen and refunded.
import { useState } from "react";
import { useSession } from "#lib/session/session.tsx";
import { count, formatMoment, isolated, shortId } from "#lib/format.ts";
import { Badge } from "#ui/basics/badge.tsx";
import { Button } from "#ui/basics/button.tsx";
import { EmailText } from "#ui/basics/email-text.tsx";
import { DataTable, type Column } from "#ui/lists/data-table.tsx";
import { Panel } from "#ui/page/panel.tsx";
import { formatCents } from "contract/shop/money";
import { RefundDialog, type Why } from "../refunds/refund-dialog.tsx";
import {
  admittedBy,
  entriesOf,
  idsOf,
  isPaid,
  namesOfExtras,
  refundOf,
  verbOf,
  type Entry,
} from "../refunds/refund-choice.ts";
import { CorrectAttendee } from "./attendee-dialog.tsx";
import { InsideWarning } from "../refunds/inside-warning.tsx";
import { ReasonButton } from "./reason-button.tsx";
import { isAgain, placeText, type OrderCase } from "../model.ts";
import { checkIn, refund, undoAdmission, useOrderAct } from "../queries.ts";

interface OrderTicketsProps {
  order: OrderCase;
  /** A refund has failed, so what was taken back may not have been paid back. */
  isOwed: boolean;
}

export function OrderTickets({ order, isOwed }: OrderTicketsProps) {
  const act = useOrderAct(order.id);
  const [picked, setPicked] = useState<readonly string[]>([]);
  const [asking, setAsking] = useState(false);
  const { role } = useSession();
  const entries = entriesOf(order);
  // Someone else may have refunded some of them in the meantime.
  const chosen = entries.filter(({ id, refundable }) => picked.includes(id) && refundable);

  const pick = (entry: Entry, isPicked: boolean) =>
    setPicked(isPicked ? [...picked, entry.id] : picked.filter((other) => other !== entry.id));

  return (
    <Panel
      title="Tickets"
      aside={
        chosen.length > 0 && (
          <Button size="small" variant="danger" disabled={act.isPending} onClick={() => setAsking(true)}>
            {verbOf(refundOf(order, chosen).cents)} {wordsFor(chosen).what}
          </Button>
        )
      }
    >
      {order.codes.some(({ has_attendee }) => has_attendee) ? (
        <DataTable
          caption="Tickets and parking of the order"
          rows={entries}
          rowKey={({ id }) => id}
          columns={[
            ...(isPaid(order) && order.channel === "online" ? [pickColumn(picked, pick)] : []),
            ...columnsOf(order, role === "admin", isOwed),
          ]}
        />
      ) : (
        <Attendees order={order} />
      )}
      {asking && (
        <ChosenDialog
          {...{ order, chosen }}
          busy={act.isPending}
          onClose={() => setAsking(false)}
          onConfirm={(why, key) =>
            act.mutate(refund(key, why, refundOf(order, chosen).cents, idsOf(chosen)), {
              onSuccess: () => {
                setPicked([]);
                setAsking(false);
              },
            })
          }
        />
      )}
    </Panel>
  );
}

const pickColumn = (
  picked: readonly string[],
  onPick: (entry: Entry, isPicked: boolean) => void,
): Column<Entry> => ({
  key: "pick",
  phone: "mark",
  header: <span className="sr-only">Select</span>,
  cell: (entry) =>
    entry.refundable && (
      <PickBox
        entry={entry}
        checked={picked.includes(entry.id)}
        onPick={(isPicked) => onPick(entry, isPicked)}
      />
    ),
});

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
      aria-label={`Select ${attendee ? `${attendee.name}'s ticket` : name}`}
      checked={checked}
      onChange={({ target }) => onPick(target.checked)}
    />
  );
}

interface ChosenDialogProps {
  order: OrderCase;
  chosen: readonly Entry[];
  busy: boolean;
  onClose: () => void;
  onConfirm: (why: Why, key: string) => void;
}

function ChosenDialog({ order, chosen, busy, onClose, onConfirm }: ChosenDialogProps) {
  const { cents, ends, given } = refundOf(order, chosen);
  const { what, kept, outcome } = wordsFor(chosen);
  const entries = entriesOf(order);
  return (
    <RefundDialog
      order={order}
      title={`${verbOf(cents)} ${what}?`}
      confirmLabel={cents > 0 ? `Refund ${formatCents(cents)}` : `Cancel ${kept}`}
      cancelLabel={`Keep ${kept}`}
      {...{ busy, onClose, onConfirm }}
    >
      {outcome} {cents <= 0 && "Nothing is refunded. "}
      {restOf(entries, ends, cents)} This cannot be undone.
      <InsideWarning entries={ends ? entries : chosen} />
      {given > 0 && (
        <p className="mt-3 font-semibold">
          {formatCents(cents + given)} less {formatCents(given)} already refunded.
        </p>
      )}
    </RefundDialog>
  );
}

/** The wording for the chosen items. */
function wordsFor(chosen: readonly Entry[]) {
  const one = chosen.length === 1;
  const tickets = chosen.every(({ isTicket }) => isTicket);
  const names = chosen.map(({ name, attendee }) => isolated(attendee?.name ?? name)).join(", ");
  const isNamed = chosen.some(({ attendee }) => attendee);
  return {
    what: count(chosen.length, tickets ? "ticket" : "item"),
    kept: tickets ? (one ? "the ticket" : "the tickets") : one ? "it" : "them",
    outcome: one
      ? `${names}${isNamed ? "'s ticket" : ""} stops working and goes back on sale.`
      : `These stop working and go back on sale: ${names}.`,
  };
}

const columnsOf = (order: OrderCase, mayCorrect: boolean, isOwed: boolean): readonly Column<Entry>[] => [
  {
    key: "type",
    phone: "head",
    header: "Ticket",
    cell: ({ name, codeIds }) => (
      <>
        {name}
        <span className="block font-mono text-sm text-ink-soft">
          {codeIds.map((id) => `#${shortId(id)}`).join(" ")}
        </span>
      </>
    ),
  },
  {
    key: "attendee",
    header: "Attendee",
    cell: (entry) => {
      const { attendee, id, refunded, checkedInAt } = entry;
      return attendee ? (
        <div className="wrap-anywhere sm:min-w-36 xl:min-w-48">
          {attendee.name}
          <EmailText className="block text-sm text-ink-soft">{attendee.email}</EmailText>
          {mayCorrect && isPaid(order) && !refunded && checkedInAt === null && (
            <CorrectAttendee orderId={order.id} ticketId={id} attendee={attendee} />
          )}
        </div>
      ) : (
        <span className="text-ink-soft">{admittedBy(entry)}</span>
      );
    },
  },
  {
    key: "state",
    phone: "corner",
    header: "Status",
    cell: (entry) => <EntryState {...{ entry, order, isOwed }} />,
  },
];

/** What happens to the rest of the order. */
function restOf(entries: readonly Entry[], isEnd: boolean, cents: number): string {
  const extras = entries.filter(({ isTicket, refunded }) => !isTicket && !refunded);
  if (isEnd) {
    const names = namesOfExtras(extras);
    const [ends, are] = names.includes(" and ") ? ["end", "are"] : ["ends", "is"];
    return `No tickets are left, so the order ends${names && `, and its ${names} ${cents > 0 ? `${are} refunded` : ends} with it`}.`;
  }
  const included = extras.some(({ included }) => included);
  return `The rest of the order stays.${included ? " Included parking goes with the last VIP ticket." : ""}`;
}

interface EntryStateProps extends OrderTicketsProps {
  entry: Entry;
}

function EntryState({ entry, order, isOwed }: EntryStateProps) {
  const { role } = useSession();
  const { refunded, checkedInAt, included, admissions, absentIds } = entry;
  const who = isolated(entry.attendee?.name ?? entry.name);
  const standing = admissions
    .filter(({ undone_at }) => undone_at === null)
    .toSorted((one, other) => Date.parse(one.admitted_at) - Date.parse(other.admitted_at));
  const [absent] = absentIds;
  return (
    <div className="grid justify-items-start gap-1.5 max-sm:justify-items-end">
      {refunded && (
        <Badge tone="danger">
          {order.channel !== "online" || isOwed ? "Void" : included ? "Returned" : "Refunded"}
        </Badge>
      )}
      {checkedInAt ? (
        <Badge tone={refunded ? "warning" : "success"} className="max-sm:whitespace-normal">
          Checked in {formatMoment(checkedInAt)}
        </Badge>
      ) : (
        !refunded && <Badge>{included ? "Included" : "Valid"}</Badge>
      )}
      {standing.map((admission) => (
        <span
          key={admission.id}
          className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-ink-soft"
        >
          <span>
            {placeText(admission)}
            {isAgain(admission, admissions) && (
              <strong className="text-candy-deep"> again, {formatMoment(admission.admitted_at)}</strong>
            )}
            {admission.left_at !== null && <>, left {formatMoment(admission.left_at)}</>}
          </span>
          {role === "admin" && (
            <ReasonButton
              orderId={order.id}
              label="Undo"
              title={`Undo the check-in of ${who} at ${placeText(admission)}`}
              act={undoAdmission(admission.id)}
            />
          )}
        </span>
      ))}
      {role === "admin" && absent !== undefined && isPaid(order) && (
        <ReasonButton orderId={order.id} label="Check In" title={`Check In ${who}`} act={checkIn(absent)} />
      )}
    </div>
  );
}

/** An unpaid order has attendees but no tickets. */
function Attendees({ order }: { order: OrderCase }) {
  return (
    <>
      <p className="text-ink-soft">No tickets have been issued.</p>
      {order.attendees.length > 0 && (
        <ul className="mt-2 text-[0.9375rem]">
          {order.attendees.map(({ name, email }, index) => (
            <li key={index}>
              {name} <EmailText className="inline-block text-ink-soft">{email}</EmailText>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
