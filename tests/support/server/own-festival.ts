// A separate server for the tests of one file, with the settings they are about.
import { quickFolder } from "../../../server/testing/quick-folder.ts";
import { test } from "../fixtures.ts";
import { type Festival, removeFolder, startFestival } from "./festival.ts";
import { copyPrepared } from "./prepared-folder.ts";

/** A new data folder with everything that a first start creates. */
export function preparedFolder(): string {
  const dataDir = quickFolder("festival-");
  copyPrepared(process.env.FESTIVAL_PREPARED!, dataDir);
  return dataDir;
}

/** For the tests of the surrounding `describe`, or of the file. `env` is called right before the start. */
export function useOwnFestival(
  env: () => Promise<Readonly<Record<string, string>>> = async () => ({}),
): void {
  let festival: Festival;
  let shared: string | undefined;
  test.beforeAll(async () => {
    // A start on a busy machine may take longer than the default timeout.
    test.setTimeout(180_000);
    festival = await startFestival({ dataDir: preparedFolder(), env: await env() });
    shared = process.env.FESTIVAL_STATUS;
    process.env.FESTIVAL_STATUS = JSON.stringify(festival.status);
  });
  test.afterAll(async () => {
    process.env.FESTIVAL_STATUS = shared;
    await festival.stop();
    removeFolder(festival.dataDir);
  });
}
