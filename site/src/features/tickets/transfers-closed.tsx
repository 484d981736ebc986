import { formatZonedMoment } from "#lib/format.ts";
import { useFestival } from "#lib/festival/content.ts";
import { serverNow } from "#lib/time/server-clock.ts";
import { useDeadlines } from "./queries.ts";

/** Explains why no ticket offers a transfer, once transfers have closed. */
export function TransfersClosed() {
  const { contact, status } = useFestival();
  const closedAt = useDeadlines().data?.transfers;
  if (closedAt === undefined || serverNow() < Date.parse(closedAt) || status === "cancelled") return null;
  return (
    <p className="mb-6 max-w-prose border-l-8 border-brisket pl-4 print:hidden">
      Tickets could be transferred until {formatZonedMoment(closedAt)}. Questions? Write to{" "}
      <a className="underline underline-offset-4" href={`mailto:${contact.email}`}>
        {contact.email}
      </a>
      .
    </p>
  );
}
