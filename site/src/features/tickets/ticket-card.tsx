// A ticket or parking permit as it is shown and printed: the stub with the code, and whom it admits.
import { Check, Download } from "lucide-react";
import { festival } from "contract/festival";
import { logError } from "#lib/browser/error-log.ts";
import { formatMoment, shortId } from "#lib/format.ts";
import { Badge } from "#ui/basics/badge.tsx";
import { Button } from "#ui/basics/button.tsx";
import { classNames } from "#ui/basics/class-names.ts";
import { toast } from "#ui/overlays/toast.ts";
import { download } from "./download.ts";
import { pictureName, type Pass } from "./model.ts";
import { QrCode } from "./qr-code.tsx";
import { useQrCode } from "./use-qr-code.ts";

interface TicketCardProps {
  pass: Pass;
  userId: string;
}

export function TicketCard({ pass, userId }: TicketCardProps) {
  return (
    <article
      aria-label={`${pass.name} for ${pass.holder}`}
      className="grid break-inside-avoid border-2 border-ink bg-sheet sm:grid-cols-[minmax(0,1fr)_14.5rem] print:grid-cols-[minmax(0,1fr)_14.5rem]"
    >
      <div className="@container flex min-w-0 flex-col">
        <Head pass={pass} />
        <Details pass={pass} />
      </div>
      <Code pass={pass} userId={userId} />
    </article>
  );
}

function Head({ pass: { kind, name, isVip, isVoid } }: { pass: Pass }) {
  return (
    <div
      data-print="colour"
      className={classNames(
        "relative px-5 pt-5 pb-9 text-white [print-color-adjust:exact]",
        isVoid ? "bg-ink" : kind === "parking" ? "bg-bayou" : isVip ? "bg-slab" : "bg-candy",
      )}
    >
      <div
        aria-hidden="true"
        className={classNames(
          // A band of its own, so that no dots lie under a long name.
          "halftone absolute inset-x-0 bottom-0 h-4.5 [mask-image:linear-gradient(to_left,#000,transparent)]",
          isVip ? "text-candy" : "text-brisket",
        )}
      />
      {/* The largest size at which a word of a dozen letters fits. */}
      <h3 className="display text-[length:min(var(--text-title),12cqi)] leading-[0.92] wrap-anywhere">
        {name}
      </h3>
    </div>
  );
}

function Details({ pass }: { pass: Pass }) {
  const { holder, note } = pass;
  return (
    <div className="flex flex-1 flex-col gap-4 p-5">
      <div>
        <p className="text-xl leading-tight font-bold wrap-anywhere">{holder}</p>
        {note && <p className="wrap-anywhere text-ink-soft">{note}</p>}
      </div>
      <p className="mt-auto leading-snug">
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
          <Badge tone="success">
            <Check aria-hidden="true" className="size-3.5" strokeWidth={3} />
            Checked in {formatMoment(pass.checkedInAt)}
          </Badge>
        )}
      </div>
    </div>
  );
}

/** The code, and its picture to keep. */
function Code({ pass, userId }: TicketCardProps) {
  const { state, generate } = useQrCode(pass, userId);

  async function save(url: string) {
    try {
      await download(url, pictureName(pass));
    } catch (error) {
      logError("download a QR code", error);
      toast.error("Download Failed", "The QR code could not be downloaded. Please try again.");
    }
  }

  return (
    <div className="relative flex flex-col justify-center gap-3 border-dashed border-ink p-4 max-sm:border-t-2 sm:border-l-2 print:border-l-2">
      <div className="mx-auto w-full max-w-64">
        <QrCode state={state} pass={pass} onGenerate={generate} />
      </div>
      {state.phase === "shown" && (
        <Button
          size="small"
          variant="secondary"
          block
          className="print:hidden"
          aria-label={`Download QR Code for ${pass.kind === "parking" ? pass.name : pass.holder}`}
          onClick={() => void save(state.url)}
        >
          <Download aria-hidden="true" className="size-4 shrink-0" strokeWidth={2.5} />
          Download QR Code
        </Button>
      )}
    </div>
  );
}
