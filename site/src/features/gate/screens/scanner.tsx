// The scanner: camera, keyboard scanner and search lead to one scan at a time, and its result fills the screen until the next.
// A code that stays in view is read once.
import { useCallback, useEffect, useRef, useState } from "react";
import { logError } from "#lib/browser/error-log.ts";
import type { BookRow } from "../rules/decide.ts";
import { createKeyboardBurst } from "../rules/keyboard-burst.ts";
import { resultWords } from "../rules/words.ts";
import { type CameraState, useCamera } from "../camera/use-camera.ts";
import { AccessRemoved } from "../device/calls.ts";
import type { GateEngine, GateSnapshot, ScannedBy, Shown } from "../device/engine.ts";
import { Sign } from "../icons.tsx";
import { usePlates, useSound } from "../preferences.ts";
import { signal, wakeSound } from "../signals.ts";
import { useWakeLock } from "../use-wake-lock.ts";
import { MenuSheet } from "./menu-sheet.tsx";
import { NoticesSheet } from "./notices-sheet.tsx";
import { PlateSheet } from "./plate-sheet.tsx";
import { ResultSheet } from "./result-sheet.tsx";
import { SearchSheet } from "./search-sheet.tsx";
import { StateLine } from "./state-line.tsx";
import { UndoSheet } from "./undo-sheet.tsx";

interface ScannerProps {
  engine: GateEngine;
  gate: GateSnapshot;
  onChoose: () => void;
  onLeave: () => void;
}

type Sheet = "search" | "menu" | "notices" | "undo";

/** What waits for a plate. */
interface Held {
  readonly admit: (plate: string) => Promise<Shown>;
}

/** A code out of view for this long may be read again. */
const OUT_OF_VIEW_MS = 2000;

export function Scanner({ engine, gate, onChoose, onLeave }: ScannerProps) {
  const [shown, setShown] = useState<Shown>();
  const [sheet, setSheet] = useState<Sheet>();
  const [held, setHeld] = useState<Held>();
  const [leaving, setLeaving] = useState(false);
  const [sound] = useSound();
  const [plates] = usePlates();
  const busy = useRef(false);
  const inView = useRef({ text: "", at: 0 });
  const reentry = gate.opened?.settings.reentry ?? false;
  const action = leaving && reentry ? "out" : "in";
  useWakeLock();

  /** One scan at a time: another one meanwhile is dropped, and read again while it is in view. */
  const take = useCallback(
    async (make: () => Promise<Shown | undefined>) => {
      if (busy.current) return;
      busy.current = true;
      try {
        const next = await make();
        if (!next) return;
        setSheet(undefined);
        setShown(next);
        signal(resultWords[next.verdict.result].tone, sound === "off");
      } catch (error) {
        if (!(error instanceof AccessRemoved)) logError("scan a code", error);
      } finally {
        busy.current = false;
      }
    },
    [sound],
  );

  const scan = useCallback(
    (text: string, by: ScannedBy) =>
      take(async () => {
        if (plates === "on" && action === "in" && (await engine.isParking(text))) {
          setHeld({ admit: (plate) => engine.scan(text, { by, action, plate }) });
          return undefined;
        }
        return engine.scan(text, { by, action });
      }),
    [take, engine, action, plates],
  );

  const admit = (row: BookRow) =>
    take(async () => {
      if (plates === "on" && action === "in" && row.kind === "parking") {
        setSheet(undefined);
        setHeld({ admit: (plate) => engine.admit(row, action, plate) });
        return undefined;
      }
      return engine.admit(row, action);
    });

  const isCovered = sheet !== undefined || held !== undefined;
  const video = useRef<HTMLVideoElement>(null);
  const camera = useCamera(video, (text) => {
    const { current: last } = inView;
    const now = performance.now();
    const isNew = text !== last.text || now - last.at > OUT_OF_VIEW_MS;
    if (isNew && (isCovered || busy.current)) return;
    inView.current = { text, at: now };
    if (isNew) void scan(text, "camera");
  });

  useEffect(() => {
    const burst = createKeyboardBurst();
    const onKey = (event: KeyboardEvent) => {
      if (event.target instanceof HTMLInputElement && event.target.type !== "radio") return;
      const code = burst.press(event.key, event.timeStamp);
      if (code === undefined) return;
      event.preventDefault(); // a button that has the focus is not pressed
      void scan(code, "keyboard");
    };
    addEventListener("keydown", onKey, { capture: true });
    return () => removeEventListener("keydown", onKey, { capture: true });
  }, [scan]);

  return (
    <main className="gate-scanner" onPointerDown={wakeSound}>
      <h1 className="sr-only">Gate, {gate.entrance?.name}</h1>
      <StateLine gate={gate} onNotices={() => setSheet("notices")} />
      <div className="gate-view">
        <video ref={video} muted playsInline aria-label="Camera" />
        <CameraWords state={camera.state} onRetry={camera.retry} />
        {action === "out" && <p className="gate-mode">Scanning out</p>}
      </div>
      <nav className="gate-bar" aria-label="Gate">
        <button type="button" onClick={() => setSheet("search")}>
          <Sign of="search" />
          Search
        </button>
        {camera.torch !== undefined && (
          <button type="button" aria-pressed={camera.torch} onClick={camera.toggleTorch}>
            <Sign of="torch" />
            Torch
          </button>
        )}
        {reentry && (
          <button type="button" aria-pressed={action === "out"} onClick={() => setLeaving(!leaving)}>
            <Sign of="swap" />
            {action === "out" ? "Out" : "In"}
          </button>
        )}
        <button type="button" onClick={() => setSheet("menu")}>
          <Sign of="menu" />
          Menu
        </button>
      </nav>
      {shown && (
        <ResultSheet
          key={shown.id}
          shown={shown}
          now={engine.now()}
          onNext={() => setShown(undefined)}
          onUndo={() => setSheet("undo")}
        />
      )}
      {held && (
        <PlateSheet
          onCancel={() => setHeld(undefined)}
          onAdmit={(plate) => {
            setHeld(undefined);
            void take(() => held.admit(plate));
          }}
        />
      )}
      {sheet === "search" && (
        <SearchSheet
          engine={engine}
          gate={gate}
          action={action}
          onClose={() => setSheet(undefined)}
          onAdmit={(row) => void admit(row)}
          onCode={(text) => void scan(text, "keyboard")}
        />
      )}
      {sheet === "undo" && shown && (
        <UndoSheet
          onClose={() => setSheet(undefined)}
          onUndo={(reason) => void take(() => engine.undo(shown, reason))}
        />
      )}
      {sheet === "menu" && (
        <MenuSheet gate={gate} onClose={() => setSheet(undefined)} onChoose={onChoose} onLeave={onLeave} />
      )}
      {sheet === "notices" && (
        <NoticesSheet engine={engine} gate={gate} onClose={() => setSheet(undefined)} />
      )}
    </main>
  );
}

function CameraWords({ state, onRetry }: { state: CameraState; onRetry: () => void }) {
  if (state === "on") return <div className="gate-frame" aria-hidden="true" />;
  if (state === "starting") return <p className="gate-camera-words">Starting the camera…</p>;
  const [title, help] = cameraWords[state];
  return (
    <div className="gate-camera-words" role="status">
      <Sign of="camera" />
      <strong>{title}</strong>
      <span>{help}</span>
      <span>Search and keyboard scanners work without it.</span>
      <button type="button" className="gate-button" onClick={onRetry}>
        Try again
      </button>
    </div>
  );
}

const cameraWords: Readonly<Record<Exclude<CameraState, "on" | "starting">, readonly [string, string]>> = {
  refused: ["Camera not allowed", "Allow the camera for this site in the browser’s settings."],
  absent: ["No camera found", "This device has none, or it is switched off."],
  busy: ["Camera busy", "Another app may be using it."],
  unreadable: ["Code reader missing", "It could not be loaded. The network may be gone; it is needed once."],
  insecure: ["Camera needs https", "Open the gate by its https address."],
};
