// A ticket or extra as shown and printed: the stub with the code, and the holder.
import { Check, Download } from "lucide-react";
import type { ReactNode } from "react";
import { useFestival } from "#lib/festival/content.ts";
import { formatMoment, shortId } from "#lib/format.ts";
import { Badge } from "#ui/basics/badge.tsx";
import { Button } from "#ui/basics/button.tsx";
import { classNames } from "#ui/basics/class-names.ts";
import { EmailText } from "#ui/basics/email-text.tsx";
import { useKeptFocus } from "#ui/overlays/focus-kept.ts";
import { saveCode } from "./download.ts";
import type { Pass } from "./model.ts";
import { QrCode } from "./qr-code.tsx";
import { useQrCode } from "./use-qr-code.ts";

interface TicketCardProps {
  pass: Pass;
  userId: string;
  /** Shows the code in full screen. */
  onShow: () => void;
  /** The ticket's actions, across its bottom. */
  foot?: ReactNode;
  /** Shown from this device, without a network, so there is no picture to fetch. */
  isKept?: boolean;
}

export function TicketCard({ pass, userId, onShow, foot, isKept = false }: TicketCardProps) {
  const kept = useKeptFocus();
  return (
    <article
      {...kept}
      aria-label={`${pass.name} for ${pass.holder}`}
      className="grid grid-cols-[minmax(0,1fr)_7.5rem] grid-rows-[1fr] break-inside-avoid border-2 border-ink bg-sheet max-2xs:grid-cols-[minmax(0,1fr)] sm:grid-cols-[minmax(0,1fr)_14.5rem] print:grid-cols-[minmax(0,1fr)_14.5rem]"
    >
      <div className="@container flex min-w-0 flex-col">
        <Head pass={pass} />
        <Details pass={pass} />
      </div>
      {/* A reissued ticket starts over, with a new code and without the old one's failure. */}
      <Code key={pass.issueNumber} pass={pass} userId={userId} onShow={onShow} isKept={isKept} />
      {foot}
    </article>
  );
}

function Head({ pass: { isTicket, name, isVip, isVoid } }: { pass: Pass }) {
  return (
    <div
      data-print="color"
      className={classNames(
        "relative px-2.5 pt-3.5 pb-6 text-white sm:px-5 sm:pt-5 sm:pb-9 [print-color-adjust:exact]",
        isVoid ? "bg-ink" : !isTicket ? "bg-bayou" : isVip ? "bg-slab" : "bg-candy",
      )}
    >
      <div
        aria-hidden="true"
        className={classNames(
          // A separate band, so that no dots lie under a long name.
          "halftone absolute inset-x-0 bottom-0 h-4.5 [mask-image:linear-gradient(to_left,#000,transparent)]",
          isVip ? "text-candy" : "text-brisket",
        )}
      />
      {/* The largest size at which a word of a dozen letters fits. */}
      <h4 className="display text-[length:min(var(--text-title),12cqi)] leading-[0.92] wrap-anywhere">
        {name}
      </h4>
    </div>
  );
}

function Details({ pass }: { pass: Pass }) {
  const festival = useFestival();
  const { holder, note } = pass;
  return (
    <div className="flex flex-1 flex-col gap-2 px-2.5 py-3.5 sm:gap-4 sm:p-5">
      <div>
        <p className="text-lg leading-tight sm:text-xl font-bold wrap-anywhere">{holder}</p>
        {note && <EmailText className="block text-ink-soft">{note}</EmailText>}
      </div>
      <p className="mt-auto leading-snug max-sm:hidden print:block">
        <span className="display block text-xl">{festival.title}</span>
        {festival.dateText}, {festival.hoursText}
      </p>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <span className="text-sm text-ink-soft">
          <span className="font-mono">#{shortId(pass.id)}</span>
          <span className="block">
            Order <span className="font-mono">#{shortId(pass.orderId)}</span>
          </span>
        </span>
        {pass.checkedInAt !== null && (
          <Badge tone="success" className="max-sm:whitespace-normal">
            <Check aria-hidden="true" className="size-3.5 shrink-0" strokeWidth={3} />
            Checked in {formatMoment(pass.checkedInAt)}
          </Badge>
        )}
      </div>
    </div>
  );
}

/** The code, and a button that saves its picture. */
function Code({ pass, userId, onShow, isKept }: TicketCardProps) {
  const { state, generate } = useQrCode(pass, userId);

  const what = pass.isTicket ? pass.holder : pass.name;
  return (
    <div className="relative flex flex-col justify-center gap-3 border-l-2 border-dashed border-ink p-2.5 max-2xs:border-t-2 max-2xs:border-l-0 sm:p-4">
      <div className="relative mx-auto w-full max-w-64">
        <QrCode state={state} pass={pass} onGenerate={generate} />
        {state.phase === "shown" && (
          <button
            type="button"
            className="absolute inset-0 cursor-zoom-in print:hidden"
            aria-label={`Show the code of ${what} full screen`}
            onClick={onShow}
          />
        )}
      </div>
      {state.phase === "shown" && !isKept && (
        <Button
          size="small"
          variant="secondary"
          block
          className="max-sm:px-1.5 max-sm:whitespace-normal print:hidden"
          aria-label={`Download QR Code for ${what}`}
          onClick={() => void saveCode(pass, state.url)}
        >
          <Download aria-hidden="true" className="size-4 shrink-0 max-sm:hidden" strokeWidth={2.5} />
          Download QR Code
        </Button>
      )}
    </div>
  );
}
