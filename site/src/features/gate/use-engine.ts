// The engine as components see it: one for the page, made in the browser alone.
import { useEffect, useState, useSyncExternalStore } from "react";
import { logError } from "#lib/browser/error-log.ts";
import { createEngine, type GateEngine } from "./device/engine.ts";
import type { GateSnapshot } from "./device/snapshot.ts";

export function useEngine(): GateEngine | undefined {
  const [engine, setEngine] = useState<GateEngine>();
  useEffect(() => {
    let stop: (() => void) | undefined;
    let left = false;
    createEngine().then(
      (made) => {
        if (left) return;
        stop = made.start();
        setEngine(made);
      },
      (error: unknown) => logError("start the gate", error),
    );
    return () => {
      left = true;
      stop?.();
    };
  }, []);
  return engine;
}

export function useGate(engine: GateEngine): GateSnapshot {
  return useSyncExternalStore(engine.subscribe, engine.snapshot, engine.snapshot);
}
