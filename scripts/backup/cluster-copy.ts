// Copies the embedded PostgreSQL's files while it runs, so that the copy starts as the database was at one moment. Hides
// PostgreSQL's own protocol for this: when the copy starts, it replays from the log what was written meanwhile.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "../../server/src/postgres/database.ts";
import { copyFolder } from "./copy-folder.ts";

/** Belongs to the running process, or is recreated by the next one. */
const LEFT_OUT = /^(postmaster\.(pid|opts)|\.s\.PGSQL.*|pg_internal\.init.*|pgsql_tmp.*)$/;
const EMPTY = [
  "pg_wal",
  "pg_replslot",
  "pg_dynshmem",
  "pg_notify",
  "pg_serial",
  "pg_snapshots",
  "pg_stat_tmp",
  "pg_subtrans",
];

/** `url` is the owner's address of the cluster that runs in `from`. */
export async function copyRunningCluster(url: string, from: string, to: string): Promise<void> {
  const database = openDatabase(url, { sizes: { requests: 1, service: 1 } });
  try {
    // A backup belongs to one connection, and a transaction keeps that connection.
    await database.asService("the operator backs up everything").transaction(async (tx) => {
      // Keeps the log from the start of the copy. The slot is dropped with the connection.
      await tx.query("select pg_create_physical_replication_slot('backup_' || pg_backend_pid(), true, true)");
      const begin = await tx.query(
        "select pg_walfile_name(pg_backup_start('npm run backup', fast => true)) as segment",
      );
      copyFolder(from, to, (name, depth) => !LEFT_OUT.test(name) && !(depth === 0 && EMPTY.includes(name)));
      for (const name of EMPTY) mkdirSync(join(to, name), { recursive: true, mode: 0o700 });
      for (const name of ["archive_status", "summaries"])
        mkdirSync(join(to, "pg_wal", name), { mode: 0o700 });
      const end = await tx.query("select labelfile from pg_backup_stop(wait_for_archive => false)");
      writeFileSync(join(to, "backup_label"), end.rows[0]!.labelfile, { mode: 0o600, flush: true });
      copyFolder(
        join(from, "pg_wal"),
        join(to, "pg_wal"),
        (name) => /^[0-9A-F]{24}$/.test(name) && name >= begin.rows[0]!.segment,
      );
    });
  } finally {
    await database.close();
  }
}
