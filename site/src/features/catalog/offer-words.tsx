// How the state of a sale is shown: a badge in place of the stepper, a line on the card, and a notice above all
// cards.
import { CalendarClock, CalendarX, CirclePause } from "lucide-react";
import { Link } from "react-router";
import type { Festival } from "contract/festival/facts";
import { useFestival } from "#lib/festival/content.ts";
import { formatZonedMoment } from "#lib/format.ts";
import { Badge } from "#ui/basics/badge.tsx";
import type { Offer } from "./model.ts";

const badges = {
  "sold-out": ["danger", "Sold Out"],
  "no-parking": ["danger", "Not Available"],
  paused: ["warning", "Paused"],
  ended: ["default", "Sales Ended"],
  upcoming: ["warning", "Not on Sale Yet"],
  cancelled: ["danger", "Canceled"],
} as const;

/** Renders nothing while the item is for sale. */
export function OfferBadge({ offer }: { offer: Offer }) {
  const isCancelled = useFestival().status === "cancelled";
  if (offer.kind === "open") return null;
  const [tone, text] = badges[isCancelled ? "cancelled" : offer.kind];
  return <Badge tone={tone}>{text}</Badge>;
}

/** When the sale opens or closes, or why the item is not for sale. The notice covers the whole shop. */
export function offerLine(offer: Offer): string | undefined {
  if (offer.kind === "upcoming") return offer.from && `On sale from ${moment(offer.from)}`;
  if (offer.kind === "no-parking")
    return "Includes a parking pass, and general parking is sold out. Back on sale once parking is available.";
  return offer.kind === "open" && offer.until ? `On sale until ${moment(offer.until)}` : undefined;
}

const notices = {
  paused: {
    Icon: CirclePause,
    title: () => "Sales are paused",
    text: "Tickets are not on sale at the moment. This page updates as soon as sales resume, and your cart is saved.",
  },
  upcoming: {
    Icon: CalendarClock,
    title: (from?: string) => (from ? `Sales open on ${moment(from)}` : "Sales open soon"),
    text: "Here is what will be on sale. This page updates automatically when sales open.",
  },
  ended: { Icon: CalendarX, title: () => "Sales have ended", text: "Tickets are no longer on sale here." },
  cancelled: {
    Icon: CalendarX,
    title: () => "The festival is canceled",
    text: "No tickets are being sold, and unpaid orders will not be charged.",
  },
} as const;

/** Why the shop is not selling; undefined while it is. */
export function closedWords(offer: Offer, status: Festival["status"]): string | undefined {
  if (status === "cancelled") return `${notices.cancelled.title()}.`;
  if (offer.kind === "upcoming") return `${notices.upcoming.title(offer.from)}. Your cart is saved.`;
  if (offer.kind === "paused") return `${notices.paused.title()}. Your cart is saved.`;
  return offer.kind === "ended" ? `${notices.ended.title()}.` : undefined;
}

/** Above the cards while the shop is closed, or when its closing time is known. */
export function SaleNotice({ offer }: { offer: Offer }) {
  const isCancelled = useFestival().status === "cancelled";
  if (offer.kind === "open" && !isCancelled) {
    return offer.until && <p className="mb-6 font-semibold">Sales close on {moment(offer.until)}.</p>;
  }
  const kind = isCancelled ? "cancelled" : offer.kind;
  if (kind === "sold-out" || kind === "no-parking" || kind === "open") return null;
  const { Icon, title, text } = notices[kind];
  return (
    <div role="status" className="mb-8 flex items-start gap-4 border-2 border-ink bg-brisket p-5 sm:p-6">
      <Icon aria-hidden="true" className="size-9 shrink-0" strokeWidth={2} />
      <div className="min-w-0">
        <p className="display text-heading">{title(offer.kind === "upcoming" ? offer.from : undefined)}</p>
        <p className="mt-1.5 max-w-prose">
          {text}{" "}
          {(kind === "ended" || kind === "cancelled") && (
            <>
              Tickets you have bought are under{" "}
              <Link to="/my-tickets" className="font-semibold underline">
                My Tickets
              </Link>
              .
            </>
          )}
        </p>
      </div>
    </div>
  );
}

const moment = formatZonedMoment;
