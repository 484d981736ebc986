import { expect, it } from "vitest";
import { temporaryFolder } from "../support/server/festival.ts";
import { prepareFolder } from "../support/server/prepared-data.ts";
import { crashStorage } from "./storage/run.ts";

it.each([
  ["on disk", "disk", 3],
  ["in S3", "s3", 2],
] as const)(
  "kills of Node and PostgreSQL leave every acknowledged object with its bytes %s, and no bytes without a row",
  { timeout: 300_000 },
  async (_, bytes, kills) => {
    const dataDir = temporaryFolder(); // where a write takes as long as on a real server
    prepareFolder(dataDir);
    const { faults, compared, changes } = await crashStorage({ kills, seed: 1, bytes, dataDir });
    expect(faults).toEqual([]);
    expect(compared).toBeGreaterThan(0);
    expect(changes).toBeGreaterThan(0);
  },
);
