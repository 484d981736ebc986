// Vitest global setup: one embedded PostgreSQL for the whole run, with a migrated template database. Durability is off,
// since nothing outlives the run.
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { clusterUrl, startCluster } from "../../server/src/postgres/cluster/cluster.ts";
import { openDatabase } from "../../server/src/postgres/database.ts";
import { migrate } from "../../server/src/postgres/setup/migrate.ts";
import { PROJECT } from "../src/project.ts";
import { quickFolder } from "../../server/testing/quick-folder.ts";

export default async function setup(project: TestProject) {
  const parent = quickFolder("festival-test-");
  const directory = join(parent, "postgres");
  const cluster = await startCluster(directory, {
    fsync: "off",
    synchronous_commit: "off",
    full_page_writes: "off",
    max_connections: 200,
    max_replication_slots: 20,
    max_wal_senders: 20,
  });
  const admin = openDatabase(cluster.url, { sizes: { requests: 1, service: 1 } });
  await admin.asService("tests own the cluster").query("create database template_festival");
  await admin.close();
  const template = openDatabase(clusterUrl(directory, "template_festival"), {
    sizes: { requests: 1, service: 1 },
  });
  await migrate(template.asService("migrations own the schema"), PROJECT);
  await template.close();
  project.provide("clusterDirectory", directory);

  return async () => {
    await cluster.stop();
    rmSync(parent, { recursive: true, force: true });
  };
}
