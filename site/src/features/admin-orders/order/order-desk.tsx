// What organizers add to an order: a corrected buyer, tags, and notes.
import { Pencil, X } from "lucide-react";
import { doorLimits } from "contract/door";
import { useState, type ReactNode } from "react";
import { useUnsaved } from "#lib/browser/unsaved.ts";
import { formatMoment } from "#lib/format.ts";
import { useSession } from "#lib/session/session.tsx";
import { Button } from "#ui/basics/button.tsx";
import { EmailText } from "#ui/basics/email-text.tsx";
import { Field } from "#ui/forms/field.tsx";
import { Input, Textarea } from "#ui/forms/input.tsx";
import { Panel } from "#ui/page/panel.tsx";
import { WarningNote } from "#ui/page/warning-note.tsx";
import { BuyerDialog } from "./buyer-dialog.tsx";
import { cancelText } from "../history/history.ts";
import type { OrderCase } from "../model.ts";
import { addNote, tagOrder, useBounces, useOrderAct } from "../queries.ts";

export function Buyer({ order }: { order: OrderCase }) {
  const { role } = useSession();
  const [changing, setChanging] = useState(false);
  const { data: bounced } = useBounces(order, role === "admin");
  const [comp] = order.comps ? [order.comps] : [];
  const [sale] = order.till_payments.filter(({ kind }) => kind === "sale");
  return (
    <Panel
      title={order.channel === "comp" ? "Guest" : "Buyer"}
      aside={
        role === "admin" && (
          <Button size="small" variant="ghost" className="-my-1.5 -mr-3" onClick={() => setChanging(true)}>
            <Pencil aria-hidden="true" className="size-4" /> Change
            <span className="sr-only"> name or email</span>
          </Button>
        )
      }
    >
      <dl className="space-y-2 text-[0.9375rem]">
        <Fact label="Name">{order.buyer_full_name}</Fact>
        {order.buyer_email && (
          <Fact label="Email">
            <a className="underline underline-offset-4" href={`mailto:${order.buyer_email}`}>
              <EmailText>{order.buyer_email}</EmailText>
            </a>
          </Fact>
        )}
        {order.buyer_phone_number && <Fact label="Phone">{order.buyer_phone_number}</Fact>}
        {sale && (
          <Fact label="Sold at the door by">
            <EmailText>{sale.till_shifts.seller_email}</EmailText>
          </Fact>
        )}
        {comp?.guest_lists && <Fact label="Comp reason">{comp.guest_lists.reason}</Fact>}
        <Fact label="Placed">{formatMoment(order.created_at)}</Fact>
        {order.status === "pending" && <Fact label="Held until">{formatMoment(order.hold_expires_at)}</Fact>}
        {order.status === "cancelled" && (
          <Fact label="Reason canceled">
            <span className="inline-block first-letter:uppercase">{cancelText(order.cancel_reason)}</span>
          </Fact>
        )}
      </dl>
      {bounced?.map(({ email, reason, bounced_at: at }) => (
        <div key={email} className="mt-4 text-[0.9375rem] wrap-anywhere">
          <WarningNote>
            Email to <EmailText>{email}</EmailText> bounced on {formatMoment(at)}: {reason}
          </WarningNote>
        </div>
      ))}
      {changing && <BuyerDialog order={order} onClose={() => setChanging(false)} />}
    </Panel>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-sm font-semibold text-ink-soft">{label}</dt>
      <dd className="break-words">{children}</dd>
    </div>
  );
}

/** Keeps what is typed while the previous entry is being saved. */
const withoutSent = (sent: string) => (typed: string) => (typed === sent ? "" : typed);

export function Tags({ order }: { order: OrderCase }) {
  const act = useOrderAct(order.id);
  const [typed, setTyped] = useState("");
  const tags = order.order_tags.map(({ tag }) => tag).toSorted();
  return (
    <Panel title="Tags">
      <ul className="flex flex-wrap gap-2">
        {tags.map((tag) => (
          <li key={tag} className="flex items-center bg-ink/10 text-sm font-bold">
            <span className="px-2.5 py-1 wrap-anywhere">{tag}</span>
            <button
              type="button"
              aria-label={`Remove the tag ${tag}`}
              disabled={act.isPending}
              className="grid size-8 place-items-center hover:bg-ink/15"
              onClick={() => act.mutate(tagOrder(tag, false))}
            >
              <X aria-hidden="true" className="size-4" strokeWidth={3} />
            </button>
          </li>
        ))}
      </ul>
      {tags.length === 0 && <p className="text-ink-soft">No tags yet. Tags group orders in the list.</p>}
      <form
        noValidate
        className="mt-3 flex gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          if (typed.trim() && typed.trim().length <= doorLimits.tag)
            act.mutate(tagOrder(typed, true), { onSuccess: () => setTyped(withoutSent(typed)) });
        }}
      >
        <Input
          dense
          aria-label="New tag"
          placeholder="press, call back"
          aria-describedby="tag-hint"
          aria-invalid={typed.trim().length > doorLimits.tag || undefined}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
        <Button type="submit" size="small" variant="secondary" className="min-h-10" busy={act.isPending}>
          Add<span className="sr-only"> the tag</span>
        </Button>
      </form>
      <p id="tag-hint" role="status" className="mt-1.5 text-sm text-ink-soft">
        {typed.trim().length > doorLimits.tag
          ? `Limit: ${doorLimits.tag} characters. This tag has ${typed.trim().length}.`
          : "Saved in lowercase."}
      </p>
    </Panel>
  );
}

export function Notes({ order }: { order: OrderCase }) {
  const act = useOrderAct(order.id);
  const [typed, setTyped] = useState("");
  const [missing, setMissing] = useState(false);
  useUnsaved(typed.trim() !== "");
  const notes = order.order_notes.toSorted((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at));
  return (
    <Panel title="Notes">
      <form
        noValidate
        className="grid gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          setMissing(!typed.trim());
          if (typed.trim()) act.mutate(addNote(typed), { onSuccess: () => setTyped(withoutSent(typed)) });
        }}
      >
        <Field
          label="New note"
          limit={doorLimits.orderNote}
          error={missing && !typed.trim() ? "Enter a note." : undefined}
        >
          <Textarea rows={2} value={typed} onChange={({ target }) => setTyped(target.value)} />
        </Field>
        <Button
          type="submit"
          size="small"
          variant="secondary"
          className="justify-self-start"
          busy={act.isPending}
        >
          Add Note
        </Button>
      </form>
      <ol className="mt-3 space-y-3">
        {notes.map((note) => (
          <li key={note.id} className="border-l-2 border-brisket pl-3 text-[0.9375rem]">
            <p className="whitespace-pre-line wrap-anywhere">{note.body}</p>
            <p className="text-sm text-ink-soft">
              <EmailText>{note.author_email}</EmailText>, {formatMoment(note.created_at)}
            </p>
          </li>
        ))}
      </ol>
    </Panel>
  );
}
