// Camera, keyboard scanner and search make one scan at a time. Its result stays until the next.
import { useEffect, useRef, useState } from "react";
import { logError } from "#lib/browser/error-log.ts";
import { AccessRemoved } from "../device/calls.ts";
import type { GateEngine } from "../device/engine.ts";
import type { ScannedBy, Shown, Undoable } from "../device/snapshot.ts";
import { usePlates, useSound } from "../preferences.ts";
import type { BookRow } from "../rules/decide.ts";
import type { Readings } from "../rules/keyboard-code.ts";
import { FAILED, FRAGMENT, wordsOf } from "../rules/words.ts";
import { signal } from "../signals.ts";

/** A person waiting for their plate. */
interface Held {
  readonly vehicle: Vehicle;
  readonly admit: (plate: string) => Promise<Shown>;
}

export interface Vehicle {
  readonly kind: string;
  readonly name: string;
  readonly type: string;
  readonly plate: string | null;
}

export interface Scans {
  readonly shown: Shown | undefined;
  /** Whose plate to ask for. */
  readonly vehicle: Vehicle | undefined;
  /** A response is slow. */
  readonly isChecking: boolean;
  isBusy: () => boolean;
  scan: (readings: Readings, by: ScannedBy) => Promise<void>;
  /** Only a part of a code was typed. No one is counted. */
  fragment: () => Promise<void>;
  /** Something other than a code was typed. It waits its turn, and has no result. */
  instead: (act: () => void) => Promise<void>;
  admit: (row: BookRow) => Promise<void>;
  undo: (what: Undoable, reason: string) => Promise<void>;
  /** Undefined cancels the admission. */
  plate: (plate: string | undefined) => void;
  next: () => void;
}

/** `onScan`: a code has a result, so close what was open before. */
export function useScans(engine: GateEngine, action: "in" | "out", onScan: () => void): Scans {
  const [shown, setShown] = useState<Shown>();
  const [held, setHeld] = useState<Held>();
  const [plates] = usePlates();
  const [isChecking, setIsChecking] = useState(false);
  const turns = useTurns(setShown, (isSlow) => {
    setIsChecking(isSlow);
    if (isSlow) setShown(undefined); // do not leave the last person's green on for the next
  });
  const asksPlate = plates === "on" && action === "in";

  return {
    shown,
    vehicle: held?.vehicle,
    isChecking,
    isBusy: turns.isBusy,
    scan(readings, by) {
      // A code in the camera's view is read again, a typed one is not.
      const take = by === "camera" ? turns.take : turns.inTurn;
      return take(async () => {
        const text = await engine.bestReading(readings);
        const vehicle = asksPlate ? await engine.vehicleToAdmit(text) : undefined;
        if (vehicle) {
          setShown(undefined);
          setHeld({ vehicle, admit: (plate) => engine.scan(text, { by, action, plate }) });
          return undefined;
        }
        const answered = await engine.scan(text, { by, action });
        onScan();
        return answered;
      });
    },
    fragment: () =>
      turns.inTurn(() => {
        onScan();
        return Promise.resolve(unread(FRAGMENT));
      }),
    instead: (act) =>
      turns.inTurn(() => {
        setShown(undefined);
        act();
        return Promise.resolve(undefined);
      }),
    admit: (row) =>
      turns.take(async () => {
        if (!asksPlate || !engine.isVehicle(row)) return engine.admit(row, action);
        const { kind, name, plate } = row;
        setShown(undefined);
        setHeld({
          vehicle: { kind, name, plate, type: "" },
          admit: (seen) => engine.admit(row, action, seen),
        });
        return undefined;
      }),
    undo: (what, reason) => turns.inTurn(() => engine.undo(what, reason)),
    plate(plate) {
      setHeld(undefined);
      if (held && plate !== undefined) void turns.inTurn(() => held.admit(plate));
    },
    next: () => setShown(undefined),
  };
}

/** There is no verdict: no call was made, or it failed. */
const unread = (detail: typeof FRAGMENT | typeof FAILED): Shown => ({
  id: `${detail} ${performance.now()}`,
  codeId: undefined,
  verdict: { result: "unknown", detail },
  at: Date.now(),
  alone: true,
});

/** A faster response needs no notice. */
const SLOW_MS = 250;

interface Turns {
  isBusy: () => boolean;
  /** Dropped while another is in progress: pressing a button twice counts once. */
  take: (make: () => Promise<Shown | undefined>) => Promise<void>;
  /** Queued after those before it. */
  inTurn: (make: () => Promise<Shown | undefined>) => Promise<void>;
}

/** One at a time. */
function useTurns(onShown: (shown: Shown) => void, onSlow: (isSlow: boolean) => void): Turns {
  const [sound] = useSound();
  const latest = useRef(sound);
  useEffect(() => {
    latest.current = sound;
  });
  const [turns] = useState((): Turns => {
    let underWay = 0;
    let last = Promise.resolve();
    const show = (next: Shown) => {
      onShown(next);
      signal(wordsOf(next.verdict).tone, latest.current === "off");
    };
    const turn = async (make: () => Promise<Shown | undefined>) => {
      const slow = setTimeout(() => onSlow(true), SLOW_MS);
      try {
        const next = await make();
        if (next) show(next);
      } catch (error) {
        if (error instanceof AccessRemoved) return;
        logError("scan a code", error);
        show(unread(FAILED));
      } finally {
        clearTimeout(slow);
        onSlow(false);
        underWay -= 1;
      }
    };
    const inTurn: Turns["inTurn"] = (make) => {
      underWay += 1;
      last = last.then(() => turn(make));
      return last;
    };
    return {
      isBusy: () => underWay > 0,
      take: (make) => (underWay > 0 ? Promise.resolve() : inTurn(make)),
      inTurn,
    };
  });
  return turns;
}
