// A server of its own for the tests of one file, with the settings they are about.
import { test } from "./fixtures.ts";
import { type Festival, removeFolder, startFestival, temporaryFolder } from "./festival.ts";

/** For the tests of the surrounding `describe`, or of the file. `env` is asked for right before the start. */
export function useOwnFestival(env: () => Promise<Readonly<Record<string, string>>>): void {
  let festival: Festival;
  let shared: string | undefined;
  test.beforeAll(async () => {
    // A new database on a busy machine takes longer than a test may.
    test.setTimeout(180_000);
    festival = await startFestival({ dataDir: temporaryFolder(), env: await env() });
    shared = process.env.FESTIVAL_STATUS;
    process.env.FESTIVAL_STATUS = JSON.stringify(festival.status);
  });
  test.afterAll(async () => {
    process.env.FESTIVAL_STATUS = shared;
    await festival.stop();
    removeFolder(festival.dataDir);
  });
}
