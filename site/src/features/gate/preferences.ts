// How this phone likes the gate: bright or dark, with sound or without. Kept in the browser's storage.
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
/** Whether a plate is asked for before a parking code is admitted. */
export const usePlates = () => usePreference("plates", "off");
