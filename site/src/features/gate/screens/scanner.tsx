// The scanner: state above, camera in the middle, buttons under the thumb, and the result over them until the next
// scan.
import { useRef, useState, type RefObject } from "react";
import { useKeptFocus } from "#ui/overlays/focus-kept.ts";
import { useCamera } from "../camera/use-camera.ts";
import type { GateEngine } from "../device/engine.ts";
import type { GateSnapshot, Shown, Undoable } from "../device/snapshot.ts";
import { createInView } from "../rules/in-view.ts";
import { printedNumber } from "../rules/keyboard-code.ts";
import { useWakeLock } from "../use-wake-lock.ts";
import { CameraWords } from "./camera-words.tsx";
import { MenuSheet } from "./menu-sheet.tsx";
import { NoticesSheet } from "./notices-sheet.tsx";
import { PlateSheet } from "./plate-sheet.tsx";
import { RecentSheet } from "./recent-sheet.tsx";
import { ResultSheet } from "./result-sheet.tsx";
import { ScannerBar } from "./scanner-bar.tsx";
import { SearchSheet } from "./search-sheet.tsx";
import { StateLine } from "./state-line.tsx";
import { UndoSheet } from "./undo-sheet.tsx";
import { useKeyboardScanner } from "./use-keyboard-scanner.ts";
import { useStep } from "./use-step.ts";
import { type Scans, useScans } from "./use-scans.ts";

interface ScannerProps {
  engine: GateEngine;
  gate: GateSnapshot;
  onChoose: () => void;
  onLeave: () => void;
}

type Sheet = "search" | "recent" | "menu" | "notices";

export function Scanner(props: ScannerProps) {
  const { engine, gate } = props;
  const { sheet, setSheet, undoing, setUndoing, query, setQuery, closeAll, search } = useSheets();
  const [leaving, setLeaving] = useState(false);
  const reentry = gate.opened?.settings.reentry ?? false;
  const action = leaving && reentry ? "out" : "in";
  const scans = useScans(engine, action, closeAll);
  const { shown } = scans;
  const video = useRef<HTMLVideoElement>(null);
  const isCovered = sheet !== undefined || undoing !== undefined || scans.vehicle !== undefined;
  const { camera, isCrowded } = useCodes(video, scans, isCovered, search);
  useWakeLock();
  const heading = `Gate, ${gate.entrance?.name}`;
  const frame = useKeptFocus();
  useStep(heading);

  return (
    <main {...frame} className="gate-scanner">
      <h1 className="sr-only">{heading}</h1>
      <StateLine engine={engine} gate={gate} onNotices={() => setSheet("notices")} />
      <div className="gate-view" inert={shown !== undefined}>
        <video ref={video} muted playsInline aria-label="Camera" />
        <CameraWords state={camera.state} onRetry={camera.retry} />
        {action === "out" && <p className="gate-mode">Scanning out</p>}
      </div>
      {(scans.isChecking || isCrowded) && (
        <p className="gate-checking" role="status">
          {scans.isChecking ? "Checking…" : "Several tickets in view. Show one."}
        </p>
      )}
      <ScannerBar
        isCovered={shown !== undefined}
        torch={camera.torch}
        onTorch={camera.toggleTorch}
        direction={reentry ? action : undefined}
        onDirection={(direction) => setLeaving(direction === "out")}
        onSearch={() => setSheet("search")}
        onRecent={() => setSheet("recent")}
        onMenu={() => setSheet("menu")}
      />
      {shown && (
        <ResultSheet
          key={shown.id}
          shown={shown}
          onNext={scans.next}
          onUndo={() => setUndoing(undoableOf(shown))}
        />
      )}
      <Sheets
        {...props}
        {...{ sheet, action, scans, undoing, query }}
        onQuery={setQuery}
        onClose={() => setSheet(undefined)}
        onOpen={setSheet}
        onUndo={setUndoing}
      />
    </main>
  );
}

/** What is open over the camera. */
function useSheets() {
  const [sheet, setSheet] = useState<Sheet>();
  const [undoing, setUndoing] = useState<Undoable>();
  // The search stays after a result: a family is searched for only once.
  const [query, setQuery] = useState("");
  const closeAll = () => {
    setSheet(undefined);
    setUndoing(undefined);
  };
  const search = (text: string) => {
    setUndoing(undefined);
    setQuery(text);
    setSheet("search");
  };
  return { sheet, setSheet, undoing, setUndoing, query, setQuery, closeAll, search };
}

/** Scans the codes that the camera and a keyboard scanner read. A printed number is searched for. */
function useCodes(
  video: RefObject<HTMLVideoElement | null>,
  scans: Scans,
  isCovered: boolean,
  onNumber: (number: string) => void,
) {
  const [inView] = useState(createInView);
  const [isCrowded, setIsCrowded] = useState(false);
  useKeyboardScanner(({ readings, isFragment }) => {
    const number = printedNumber(readings[0]);
    if (number !== undefined) void scans.instead(() => onNumber(number));
    else void (isFragment ? scans.fragment() : scans.scan(readings, "keyboard"));
  });
  const camera = useCamera(video, (texts) => {
    const seen = inView.see(texts, performance.now(), isCovered || scans.isBusy());
    setIsCrowded(seen.isCrowded);
    if (seen.scan !== undefined) void scans.scan([seen.scan], "camera");
  });
  return { camera, isCrowded: isCrowded && camera.state === "on" };
}

/** What the Undo button of a result reverts. */
function undoableOf({ id, codeId, verdict, since }: Shown): Undoable | undefined {
  const { result, person, first } = verdict;
  if (!codeId) return undefined;
  const undoes = result === "already_in" ? (first?.id ?? undefined) : id;
  return { codeId, undoes, name: person?.name ?? "", person, ...(since === undefined ? {} : { since }) };
}

interface SheetsProps extends ScannerProps {
  sheet: Sheet | undefined;
  action: "in" | "out";
  scans: Scans;
  undoing: Undoable | undefined;
  query: string;
  onQuery: (query: string) => void;
  onClose: () => void;
  onOpen: (sheet: Sheet) => void;
  onUndo: (what: Undoable | undefined) => void;
}

function Sheets(props: SheetsProps) {
  const { engine, gate, sheet, action, scans, undoing, query, onQuery, onClose, onUndo } = props;
  if (scans.vehicle) {
    return (
      <PlateSheet vehicle={scans.vehicle} onCancel={() => scans.plate(undefined)} onAdmit={scans.plate} />
    );
  }
  if (undoing) {
    const undo = (reason: string) => {
      onUndo(undefined);
      void scans.undo(undoing, reason);
    };
    return <UndoSheet name={undoing.name} onClose={() => onUndo(undefined)} onUndo={undo} />;
  }
  const isAnswered = scans.shown !== undefined;
  switch (sheet) {
    case "search":
      return isAnswered ? null : (
        <SearchSheet
          engine={engine}
          gate={gate}
          action={action}
          text={query}
          onText={onQuery}
          onClose={() => {
            onQuery("");
            onClose();
          }}
          onAdmit={(row) => void scans.admit(row)}
          onUndo={onUndo}
          onCode={(readings) => void scans.scan(readings, "keyboard")}
        />
      );
    case "recent":
      return isAnswered ? null : (
        <RecentSheet engine={engine} gate={gate} onClose={onClose} onUndo={onUndo} />
      );
    case "menu":
      return <MenuSheet {...props} onNotices={() => props.onOpen("notices")} />;
    case "notices":
      return <NoticesSheet engine={engine} gate={gate} onClose={onClose} />;
    default:
      return null;
  }
}
