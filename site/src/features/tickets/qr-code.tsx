// The square on a ticket or extra for its QR code: shown, loading or failed.
import { Ban, QrCode as QrIcon, TriangleAlert } from "lucide-react";
import { Button } from "#ui/basics/button.tsx";
import { classNames } from "#ui/basics/class-names.ts";
import { Spinner } from "#ui/basics/spinner.tsx";
import type { Pass } from "./model.ts";
import type { QrCodeState } from "./use-qr-code.ts";

/** The placeholder for the picture. Next to a phone's narrow stub it may be taller than wide. */
const noPicture =
  "grid min-h-28 w-full place-content-center justify-items-center text-center sm:aspect-square";

export function QrCode({
  state,
  pass: { kind, isTicket, name, holder },
  onGenerate,
}: {
  state: QrCodeState;
  pass: Pass;
  onGenerate: () => void;
}) {
  if (state.phase === "shown") {
    return (
      <img
        src={state.url}
        onError={state.onBroken}
        alt={isTicket ? `QR code of the ticket for ${holder}` : `QR code of the ${kind.label} ${name}`}
        width={232}
        height={232}
        className="aspect-square w-full bg-white [image-rendering:pixelated]"
      />
    );
  }
  if (state.phase === "void") return <VoidCode what={kind.label} />;
  if (state.phase === "generating") {
    return (
      <div className={classNames(noPicture, "gap-2 bg-paper-deep text-sm")}>
        <QrIcon aria-hidden="true" className="size-14 animate-pulse-ink" strokeWidth={1.25} />
        <span className="inline-flex items-center gap-2">
          <Spinner label={null} />
          <span role="status">Generating QR code...</span>
        </span>
      </div>
    );
  }
  return (
    <div className={classNames(noPicture, "gap-3 bg-brisket p-1.5 sm:p-3")}>
      <TriangleAlert aria-hidden="true" className="size-9" strokeWidth={2} />
      <p role="alert" className="text-sm leading-snug font-semibold">
        {state.message}
      </p>
      <Button
        size="small"
        variant="secondary"
        className="max-sm:px-1.5 max-sm:whitespace-normal"
        onClick={onGenerate}
        aria-label={`Generate QR Code for ${isTicket ? holder : name}`}
      >
        Generate QR Code
      </Button>
    </div>
  );
}

function VoidCode({ what }: { what: string }) {
  return (
    <div className={classNames(noPicture, "gap-2 bg-paper-deep p-1.5 max-sm:text-sm sm:p-3")}>
      <Ban aria-hidden="true" className="size-12" strokeWidth={1.75} />
      <p className="leading-snug font-semibold">Refunded. This {what} is no longer valid.</p>
    </div>
  );
}
