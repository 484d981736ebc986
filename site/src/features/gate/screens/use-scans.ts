// Camera, keyboard scanner and search lead to one scan at a time; its result stays until the next.
import { useEffect, useRef, useState } from "react";
import { logError } from "#lib/browser/error-log.ts";
import { AccessRemoved } from "../device/calls.ts";
import type { GateEngine } from "../device/engine.ts";
import type { ScannedBy, Shown } from "../device/snapshot.ts";
import { usePlates, useSound } from "../preferences.ts";
import type { BookRow } from "../rules/decide.ts";
import { resultWords } from "../rules/words.ts";
import { signal } from "../signals.ts";

/** What waits for a plate. */
interface Held {
  readonly admit: (plate: string) => Promise<Shown>;
}

export interface Scans {
  readonly shown: Shown | undefined;
  readonly isAskingPlate: boolean;
  isBusy: () => boolean;
  scan: (text: string, by: ScannedBy) => Promise<void>;
  admit: (row: BookRow) => Promise<void>;
  undo: (reason: string) => Promise<void>;
  /** Undefined: nobody is let in after all. */
  plate: (plate: string | undefined) => void;
  next: () => void;
}

export function useScans(engine: GateEngine, action: "in" | "out", onAnswer: () => void): Scans {
  const [shown, setShown] = useState<Shown>();
  const [held, setHeld] = useState<Held>();
  const [plates] = usePlates();
  const turns = useTurns(setShown, onAnswer);
  const asksPlate = plates === "on" && action === "in";

  return {
    shown,
    isAskingPlate: held !== undefined,
    isBusy: turns.isBusy,
    scan: (text, by) =>
      turns.take(async () => {
        if (!asksPlate || !(await engine.isParking(text))) return engine.scan(text, { by, action });
        setHeld({ admit: (plate) => engine.scan(text, { by, action, plate }) });
        return undefined;
      }),
    admit: (row) =>
      turns.take(async () => {
        if (!asksPlate || row.kind !== "parking") return engine.admit(row, action);
        onAnswer();
        setHeld({ admit: (plate) => engine.admit(row, action, plate) });
        return undefined;
      }),
    undo: async (reason) => shown && turns.take(() => engine.undo(shown, reason)),
    plate(plate) {
      setHeld(undefined);
      if (held && plate !== undefined) void turns.take(() => held.admit(plate));
    },
    next: () => setShown(undefined),
  };
}

interface Turns {
  isBusy: () => boolean;
  take: (make: () => Promise<Shown | undefined>) => Promise<void>;
}

/** One at a time: another scan meanwhile is dropped, and read again while it is in view. */
function useTurns(onShown: (shown: Shown) => void, onAnswer: () => void): Turns {
  const [sound] = useSound();
  const latest = useRef({ sound, onAnswer });
  useEffect(() => {
    latest.current = { sound, onAnswer };
  });
  const [turns] = useState((): Turns => {
    let busy = false;
    return {
      isBusy: () => busy,
      async take(make) {
        if (busy) return;
        busy = true;
        try {
          const next = await make();
          if (!next) return;
          latest.current.onAnswer();
          onShown(next);
          signal(resultWords[next.verdict.result].tone, latest.current.sound === "off");
        } catch (error) {
          if (!(error instanceof AccessRemoved)) logError("scan a code", error);
        } finally {
          busy = false;
        }
      },
    };
  });
  return turns;
}
