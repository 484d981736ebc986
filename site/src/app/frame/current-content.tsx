// On a host that serves the build alone, reads what is published once the page has loaded, and shows it in place of what was
// built. Our own server's pages are current (docs/decisions/050-facts-are-data.md).
import { useEffect } from "react";
import { readCurrent } from "#lib/festival/read-current.ts";

export function CurrentContent() {
  useEffect(() => void readCurrent(), []);
  return null;
}
