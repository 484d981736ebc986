import { renameSync } from "node:fs";

/** Renames the data folder, so that the next start creates a new one. Returns where the data is now. */
export function setDataAside(dataDir: string): string {
  const aside = `${dataDir}.until-${new Date().toISOString().slice(0, 19).replaceAll(/[T:]/g, "-")}`;
  renameSync(dataDir, aside);
  return aside;
}
