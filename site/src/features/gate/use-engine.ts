// The engine for components: one per page, created only in the browser.
import { useEffect, useState, useSyncExternalStore } from "react";
import { logError } from "#lib/browser/error-log.ts";
import { createEngine, type GateEngine } from "./device/engine.ts";
import type { GateSnapshot } from "./device/snapshot.ts";

/** Undefined until the script runs; "none" in a browser that cannot be a gate. */
export function useEngine(): GateEngine | "none" | undefined {
  const [engine, setEngine] = useState<GateEngine | "none">();
  useEffect(() => {
    try {
      const made = createEngine();
      setEngine(made);
      return made.start();
    } catch (error) {
      logError("start the gate", error);
      setEngine("none");
      return undefined;
    }
  }, []);
  return engine;
}

export function useGate(engine: GateEngine): GateSnapshot {
  return useSyncExternalStore(engine.subscribe, engine.snapshot, engine.snapshot);
}
