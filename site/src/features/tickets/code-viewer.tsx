// The codes of an order, one at a time, on a white full screen for the gate. A swipe, the arrow keys or the buttons move between
// them.
import { ChevronLeft, ChevronRight, Download, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { shortId } from "#lib/format.ts";
import { Button } from "#ui/basics/button.tsx";
import { classNames } from "#ui/basics/class-names.ts";
import { FullScreen } from "#ui/overlays/full-screen.tsx";
import { saveCode } from "./download.ts";
import { unusedFirst, type Pass } from "./model.ts";
import { QrCode } from "./qr-code.tsx";
import { useQrCode } from "./use-qr-code.ts";

interface CodeViewerProps {
  /** Shows those that are not void, in the order that they have when the viewer opens: unused ones first. */
  passes: readonly Pass[];
  /** The pass shown first. */
  startId: string;
  userId: string;
  onClose: () => void;
  /** Shown from this device, without a network, so there is no picture to fetch. */
  isKept?: boolean;
}

/** A shorter movement is a tap. */
const SWIPE_PX = 40;

export function CodeViewer({ startId, userId, onClose, isKept = false, ...props }: CodeViewerProps) {
  const passes = useOrderOfOpening(props.passes);
  const [id, setId] = useState(startId);
  const touchedAt = useRef<number>(undefined);
  const index = Math.max(
    0,
    passes.findIndex((pass) => pass.id === id),
  );
  const pass = passes[index];
  const [before, after] = [passes[index - 1], passes[index + 1]];
  const go = (to: Pass | undefined) => to && setId(to.id);

  useEffect(() => {
    const onKey = ({ key }: KeyboardEvent) => {
      const to = key === "ArrowRight" ? after : key === "ArrowLeft" ? before : undefined;
      if (to) setId(to.id);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [before, after]);

  if (!pass) return null;
  return (
    <FullScreen label="Entry codes" onClose={onClose}>
      <div
        className="flex min-h-full touch-pan-y flex-col bg-white p-4"
        onTouchStart={({ touches }) => (touchedAt.current = touches[0]?.clientX)}
        onTouchEnd={({ changedTouches }) => {
          const moved = (changedTouches[0]?.clientX ?? 0) - (touchedAt.current ?? 0);
          if (Math.abs(moved) >= SWIPE_PX) go(moved < 0 ? after : before);
        }}
      >
        <header className="flex items-center justify-between gap-3">
          <Position place={`${index + 1} of ${passes.length}`} pass={pass} />
          <Button size="small" variant="secondary" onClick={onClose}>
            <X aria-hidden="true" className="size-4" strokeWidth={3} />
            Close
          </Button>
        </header>
        <Shown key={`${pass.id} ${pass.issueNumber}`} pass={pass} userId={userId} isKept={isKept} />
        <nav
          aria-label="Other codes"
          className="mx-auto flex w-full max-w-xl flex-wrap justify-between gap-3 pb-2"
        >
          <Button variant="secondary" disabled={!before} onClick={() => go(before)}>
            <ChevronLeft aria-hidden="true" className="size-5" strokeWidth={3} />
            Previous
          </Button>
          <Button variant="secondary" disabled={!after} onClick={() => go(after)}>
            Next
            <ChevronRight aria-hidden="true" className="size-5" strokeWidth={3} />
          </Button>
        </nav>
      </div>
    </FullScreen>
  );
}

function Position({ place, pass }: { place: string; pass: Pass }) {
  return (
    <p role="status" className="text-lg font-semibold tabular-nums">
      {place}
      <span className="sr-only">
        : {pass.name}, {pass.holder}
        {pass.checkedInAt !== null && ", already checked in"}
      </span>
    </p>
  );
}

/** A scan or a refund must not move the codes while they are shown. One that went to somebody else leaves. */
function useOrderOfOpening(passes: readonly Pass[]): Pass[] {
  const [ids] = useState(() => unusedFirst(passes.filter(({ isVoid }) => !isVoid)).map(({ id }) => id));
  return ids.flatMap((id) => passes.find((pass) => pass.id === id) ?? []);
}

function Shown({ pass, userId, isKept }: { pass: Pass; userId: string; isKept: boolean }) {
  const { state, generate } = useQrCode(pass, userId);
  const isCheckedIn = pass.checkedInAt !== null;
  return (
    <div className="flex flex-1 flex-col items-center justify-center gap-3 py-3 text-center">
      <h2 className="display text-heading leading-none wrap-anywhere">{pass.name}</h2>
      <p className="text-xl leading-tight font-bold wrap-anywhere">{pass.holder}</p>
      <div className="relative grid w-[min(100%,62vh)] place-items-center">
        <div className={classNames("w-full", isCheckedIn && "opacity-15")}>
          <QrCode state={state} pass={pass} onGenerate={generate} />
        </div>
        {isCheckedIn && (
          <p className="display absolute inset-x-0 bg-ink px-3 py-4 text-title leading-none text-white">
            Already checked in
          </p>
        )}
      </div>
      <p className="font-mono text-lg">#{shortId(pass.id)}</p>
      {state.phase === "shown" && !isKept && (
        <Button
          size="small"
          variant="secondary"
          className="sm:hidden"
          onClick={() => void saveCode(pass, state.url)}
        >
          <Download aria-hidden="true" className="size-4 shrink-0" strokeWidth={2.5} />
          Download QR Code
        </Button>
      )}
    </div>
  );
}
