// The scanner: state above, camera between, buttons under the thumb, and the result over them until the next scan.
import { useRef, useState } from "react";
import { useCamera } from "../camera/use-camera.ts";
import type { GateEngine } from "../device/engine.ts";
import type { GateSnapshot } from "../device/snapshot.ts";
import { createInView } from "../rules/in-view.ts";
import { wakeSound } from "../signals.ts";
import { useWakeLock } from "../use-wake-lock.ts";
import { CameraWords } from "./camera-words.tsx";
import { MenuSheet } from "./menu-sheet.tsx";
import { NoticesSheet } from "./notices-sheet.tsx";
import { PlateSheet } from "./plate-sheet.tsx";
import { ResultSheet } from "./result-sheet.tsx";
import { ScannerBar } from "./scanner-bar.tsx";
import { SearchSheet } from "./search-sheet.tsx";
import { StateLine } from "./state-line.tsx";
import { UndoSheet } from "./undo-sheet.tsx";
import { useKeyboardScanner } from "./use-keyboard-scanner.ts";
import { type Scans, useScans } from "./use-scans.ts";

interface ScannerProps {
  engine: GateEngine;
  gate: GateSnapshot;
  onChoose: () => void;
  onLeave: () => void;
}

type Sheet = "search" | "menu" | "notices" | "undo";

export function Scanner(props: ScannerProps) {
  const { engine, gate } = props;
  const [sheet, setSheet] = useState<Sheet>();
  const [leaving, setLeaving] = useState(false);
  const reentry = gate.opened?.settings.reentry ?? false;
  const action = leaving && reentry ? "out" : "in";
  const scans = useScans(engine, action, () => setSheet(undefined));
  const { shown, scan } = scans;
  const [inView] = useState(createInView);
  const video = useRef<HTMLVideoElement>(null);
  const camera = useCamera(video, (text) => {
    const isCovered = sheet !== undefined || scans.isAskingPlate;
    if (inView.see(text, performance.now(), isCovered || scans.isBusy())) void scan(text, "camera");
  });
  useKeyboardScanner((text) => void scan(text, "keyboard"));
  useWakeLock();

  return (
    <main className="gate-scanner" onPointerDown={wakeSound}>
      <h1 className="sr-only">Gate, {gate.entrance?.name}</h1>
      <StateLine gate={gate} onNotices={() => setSheet("notices")} />
      <div className="gate-view">
        <video ref={video} muted playsInline aria-label="Camera" />
        <CameraWords state={camera.state} onRetry={camera.retry} />
        {action === "out" && <p className="gate-mode">Scanning out</p>}
      </div>
      <ScannerBar
        torch={camera.torch}
        onTorch={camera.toggleTorch}
        direction={reentry ? action : undefined}
        onDirection={() => setLeaving(!leaving)}
        onSearch={() => setSheet("search")}
        onMenu={() => setSheet("menu")}
      />
      {shown && (
        <ResultSheet
          key={shown.id}
          shown={shown}
          now={engine.now()}
          onNext={scans.next}
          onUndo={() => setSheet("undo")}
        />
      )}
      <Sheets {...props} sheet={sheet} action={action} scans={scans} onClose={() => setSheet(undefined)} />
    </main>
  );
}

interface SheetsProps extends ScannerProps {
  sheet: Sheet | undefined;
  action: "in" | "out";
  scans: Scans;
  onClose: () => void;
}

function Sheets({ engine, gate, sheet, action, scans, onClose, onChoose, onLeave }: SheetsProps) {
  if (scans.isAskingPlate) {
    return <PlateSheet onCancel={() => scans.plate(undefined)} onAdmit={scans.plate} />;
  }
  switch (sheet) {
    case "search":
      return (
        <SearchSheet
          engine={engine}
          gate={gate}
          action={action}
          onClose={onClose}
          onAdmit={(row) => void scans.admit(row)}
          onCode={(text) => void scans.scan(text, "keyboard")}
        />
      );
    case "undo":
      return <UndoSheet onClose={onClose} onUndo={(reason) => void scans.undo(reason)} />;
    case "menu":
      return <MenuSheet gate={gate} onClose={onClose} onChoose={onChoose} onLeave={onLeave} />;
    case "notices":
      return <NoticesSheet engine={engine} gate={gate} onClose={onClose} />;
    default:
      return null;
  }
}
