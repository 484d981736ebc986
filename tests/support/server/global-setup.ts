// One `npm start` for the whole run, on a copy of a prepared data folder. Its address and keys reach the tests through the
// environment, and so does the prepared folder, for tests that start their own server. Afterwards Ctrl-C must end it
// cleanly and leave no process behind.
import { randomBytes } from "node:crypto";
import { quickFolder } from "../../../server/testing/quick-folder.ts";
import { serviceClient } from "./clients.ts";
import { processesUsing, removeFolder, startFestival } from "./festival.ts";
import { copyPrepared, prepare } from "./prepared-folder.ts";

export default async function setup(): Promise<() => Promise<void>> {
  const prepared = await prepare();
  process.env.FESTIVAL_PREPARED = prepared;
  const dataDir = quickFolder("festival-");
  copyPrepared(prepared, dataDir);
  // Known to the tests, so that they can create tokens that no client would get.
  const jwtSecret = randomBytes(32).toString("hex");
  const festival = await startFestival({ dataDir, env: { JWT_SECRET: jwtSecret } });
  await moveFestival(festival.status);
  process.env.FESTIVAL_STATUS = JSON.stringify(festival.status);
  process.env.FESTIVAL_JWT_SECRET = jwtSecret;
  process.env.FESTIVAL_DATA = dataDir;
  return async () => {
    const code = await festival.stop("SIGINT");
    const left = processesUsing(dataDir);
    removeFolder(dataDir);
    removeFolder(prepared);
    if (code !== 0) throw new Error(`npm start ended with ${code} on Ctrl-C:\n${festival.output()}`);
    if (left.length > 0) throw new Error(`npm start left processes behind:\n${left.join("\n")}`);
  };
}

/** Transfers and corrections close by the row that publishing the facts writes; the pages keep their day. */
async function moveFestival(status: Readonly<Record<string, string>>): Promise<void> {
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  const { error } = await serviceClient(status)
    .from("festival")
    .update({ starts_at: day(60), ends_at: day(61) })
    .eq("only_row", true);
  if (error) throw error;
}
