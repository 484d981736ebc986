import { Link } from "react-router";
import { festivalShapes } from "contract/festival/sections";
import { maxLengths } from "contract/limits";
import { formatCents } from "contract/shop/money";
import { count } from "#lib/format.ts";
import { Field } from "#ui/forms/field.tsx";
import { Input, Textarea } from "#ui/forms/input.tsx";
import { MomentInput } from "#ui/forms/moment-input.tsx";
import { RadioCards } from "#ui/forms/radio-cards.tsx";
import { MailPreview } from "#ui/page/mail-preview.tsx";
import { Panel } from "#ui/page/panel.tsx";
import {
  addedToMail,
  type Change,
  chosen,
  type Facts,
  letInWords,
  onlyHoursChange,
  saleEndWords,
  untouchedWords,
} from "./change-model.ts";
import type { ChangePreview } from "./change-queries.ts";

interface ChangeFieldsProps {
  change: Change;
  facts: Facts;
  problems: Partial<Record<keyof Change, string>>;
  preview: ChangePreview;
  onChange: (change: Change) => void;
}

export function ChangeFields(props: ChangeFieldsProps) {
  const { change, facts, preview, onChange } = props;
  return (
    <>
      <Panel title="What's changing">
        <RadioCards
          legend="The festival is"
          name="kind"
          value={change.kind}
          onChange={({ target }) =>
            onChange(
              chosen(change, { kind: target.value === "cancelled" ? "cancelled" : "moved" }, facts, preview),
            )
          }
          options={[
            { value: "moved", label: "Rescheduled", description: "Tickets stay valid, with the same codes." },
            {
              value: "cancelled",
              label: "Canceled",
              description: "Sales stop, and tickets are no longer valid at the gate.",
            },
          ]}
        />
        {change.kind === "moved" && <NewDate {...props} />}
      </Panel>
      <Panel title="Money">
        <Refunds {...props} />
      </Panel>
      <Panel title="Announcement">
        <Words {...props} />
      </Panel>
      <MailPreview title={facts.title} subject={change.subject} body={change.body}>
        {addedToMail(change).map((text) => (
          <p key={text} className="border-l-4 border-ink/20 pl-3 text-ink-soft">
            {text}
          </p>
        ))}
      </MailPreview>
    </>
  );
}

function NewDate({ change, problems, preview, facts, onChange }: ChangeFieldsProps) {
  const letIn = letInWords(preview, facts, change.startsAt);
  return (
    <div className="mt-4 grid gap-4 sm:grid-cols-2">
      <Field label="Starts" required error={problems.startsAt} hint="Central Time.">
        <MomentInput
          value={change.startsAt}
          onValue={(startsAt) => onChange(chosen(change, { startsAt }, facts, preview))}
        />
      </Field>
      <Field label="Ends" required error={problems.endsAt} hint="Central Time.">
        <MomentInput
          value={change.endsAt}
          onValue={(endsAt) => onChange(chosen(change, { endsAt }, facts, preview))}
        />
      </Field>
      <ul className="list-disc space-y-1 pl-5 text-ink-soft sm:col-span-2" aria-label="What moves">
        {onlyHoursChange(facts, change) ? (
          <li>Only the hours change: doors, check-ins and the ends of sales stay as they are.</li>
        ) : (
          <>
            {letIn && <li className="font-semibold text-ink">{letIn}</li>}
            <li>
              <DoorWords {...preview} />
            </li>
            {saleEndWords(preview).map((text) => (
              <li key={text}>{text}</li>
            ))}
          </>
        )}
      </ul>
    </div>
  );
}

function DoorWords({ has_doors, has_opened }: ChangePreview) {
  if (has_doors) return "The gate's doors move with the day, at the same hours.";
  const gate = (
    <Link to="/admin/gate" className="font-semibold underline underline-offset-4">
      Gate
    </Link>
  );
  return has_opened ? (
    <>The gate has no door times. It stops admitting until the new day begins. Change that under {gate}.</>
  ) : (
    <>The gate has no door times, so it admits on any day. Set them under {gate}.</>
  );
}

function Refunds({ change, problems, preview, onChange }: ChangeFieldsProps) {
  const refunds = ["everybody", "on_request", "none"] as const;
  return (
    <>
      <RadioCards
        legend="Who gets a refund"
        name="refunds"
        value={change.refunds}
        onChange={({ target }) =>
          onChange({ ...change, refunds: refunds.find((one) => one === target.value) ?? "none" })
        }
        options={[
          {
            value: "everybody",
            label: "Everyone",
            description: `${count(preview.orders, "order")}, ${formatCents(preview.cents)}.`,
          },
          {
            value: "on_request",
            label: "On request",
            description: "Buyers claim a refund until a date you choose.",
          },
          { value: "none", label: "No one for now", description: "You can refund later under Money." },
        ]}
      />
      {preview.let_in > 0 && change.refunds !== "none" && (
        <p className="mt-3 text-ink-soft">
          {count(preview.let_in, "person was", "people were")} let in.{" "}
          {preview.let_in === 1 ? "The person who bought that ticket" : "The people who bought those tickets"}{" "}
          {change.refunds === "on_request"
            ? "can claim a refund too."
            : `${preview.let_in === 1 ? "gets" : "get"} the money back too.`}
        </p>
      )}
      {untouchedWords(preview).map((text) => (
        <p key={text} className="mt-3 text-ink-soft">
          {text}
        </p>
      ))}
      {change.refunds === "on_request" && (
        <Field
          label="Until the end of"
          required
          error={problems.askUntil}
          hint="Midnight Central Time."
          className="mt-4 max-w-64"
        >
          <Input
            dense
            type="date"
            max="9999-12-31"
            value={change.askUntil}
            onChange={({ target }) => onChange({ ...change, askUntil: target.value })}
          />
        </Field>
      )}
    </>
  );
}

function Words({ change, problems, preview, onChange }: ChangeFieldsProps) {
  return (
    <div className="grid gap-4">
      <Field
        label="Notice above every page"
        limit={festivalShapes.facts.fields.notice.max}
        required
        error={problems.notice}
      >
        <Textarea
          rows={3}
          value={change.notice}
          onChange={({ target }) => onChange({ ...change, notice: target.value })}
        />
      </Field>
      <Field label="Email subject" limit={maxLengths.messageSubject} required error={problems.subject}>
        <Input
          dense
          value={change.subject}
          onChange={({ target }) => onChange({ ...change, subject: target.value })}
        />
      </Field>
      <Field
        label="Email text"
        limit={maxLengths.longText}
        required
        error={problems.body}
        hint={`Goes to ${count(preview.people, "person", "people")}: buyers and attendees. The preview below shows what we add.`}
      >
        <Textarea
          rows={8}
          value={change.body}
          onChange={({ target }) => onChange({ ...change, body: target.value })}
        />
      </Field>
    </div>
  );
}
