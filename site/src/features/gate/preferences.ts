// This device's preferences for the gate: light or dark, sound on or off. Kept in the browser's storage.
import { useSyncExternalStore } from "react";
import { readText, writeText } from "#lib/browser/stored-json.ts";

const PREFIX = "houston-culture-festival:gate-";
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function usePreference(name: string, standard: string): [value: string, set: (value: string) => void] {
  const value = useSyncExternalStore(
    subscribe,
    () => readText("local", PREFIX + name) ?? standard,
    () => standard,
  );
  return [
    value,
    (next) => {
      writeText("local", PREFIX + name, next);
      for (const listener of listeners) listener();
    },
  ];
}

export const themes = ["auto", "bright", "dark"] as const;

export const useTheme = () => usePreference("theme", "auto");
export const useSound = () => usePreference("sound", "on");
/** Whether to ask for a plate before admitting a vehicle's code. */
export const usePlates = () => usePreference("plates", "off");
