import { formatMoment, shortId } from "#lib/format.ts";
import { EmailText } from "#ui/basics/email-text.tsx";
import type { Transfer } from "./model.ts";

/** Tickets the user has passed on: who received them, without a code. */
export function PassedOn({ transfers }: { transfers: readonly Transfer[] }) {
  return (
    <div className="mt-4 border-2 border-ink/25 p-4">
      <h4 className="font-bold">Transferred</h4>
      <ul className="mt-1 divide-y-2 divide-dotted divide-ink/30">
        {transfers.map(({ id, ticket_id, ticket_name, to_name, to_email, ended_at }) => (
          <li key={id} className="py-2 leading-snug wrap-anywhere">
            <span className="font-semibold">{ticket_name}</span>{" "}
            <span className="font-mono text-sm text-ink-soft">#{shortId(ticket_id)}</span> to{" "}
            <bdi className="font-semibold">{to_name}</bdi> (<EmailText>{to_email}</EmailText>),{" "}
            {formatMoment(ended_at)}
          </li>
        ))}
      </ul>
    </div>
  );
}
