// Brings a database up to date: the server's own migrations (roles and the auth, storage and realtime schemas, which
// Supabase's platform has already), then the program's, the project's migrations and its seed. Safe to run from several
// processes at once.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { CHANGED_MIGRATIONS, StartError } from "../../platform/start-error.ts";
import type { Executor, ServiceDatabase } from "../executor.ts";

/** Thrown when a migration fails or was changed after it was applied. */
class MigrationError extends StartError {}

class ChangedMigrationError extends MigrationError {
  override readonly exitCode = CHANGED_MIGRATIONS;
}

interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly hash: string;
}

/** What the server serves. */
export interface Project {
  /** The Supabase CLI's folder: config.toml, functions, migrations and seed.sql. */
  readonly supabase: string;
  /** Folders of the program's own migrations, by the name they are recorded under. Supabase's platform never runs them. */
  readonly migrations?: Readonly<Record<string, string>>;
}

const SERVER_MIGRATIONS = resolve(import.meta.dirname, "../../../migrations");

const LOCK = 7_310_425; // any number nobody else uses as an advisory lock

/** Applies what is missing, each migration in its own transaction. Returns the names applied now. */
export async function migrate(database: ServiceDatabase, project: Project): Promise<string[]> {
  const wanted = readMigrations(project);
  const before = await readApplied(database);
  checkKnown(wanted, before);
  checkUnchanged(wanted, before);
  if (wanted.every((migration) => before.has(migration.name))) return [];

  const applied: string[] = [];
  for (const migration of wanted) {
    await database.transaction(async (tx) => {
      await tx.query("select pg_advisory_xact_lock($1)", [LOCK]);
      await tx.query(`create schema if not exists server_migrations`);
      await tx.query(`create table if not exists server_migrations.applied
        (name text primary key, hash text not null, applied_at timestamptz not null default now())`);
      const done = await tx.query("select 1 from server_migrations.applied where name = $1", [
        migration.name,
      ]);
      if (done.rows.length > 0) return;
      await apply(tx, migration);
      applied.push(migration.name);
    });
  }
  return applied;
}

async function apply(tx: Executor, migration: Migration): Promise<void> {
  try {
    await tx.query(migration.sql);
  } catch (error) {
    throw new MigrationError(`${migration.name}: ${(error as Error).message}`, { cause: error });
  }
  // The migration may have changed the search path, so the record below is qualified.
  await tx.query("insert into server_migrations.applied (name, hash) values ($1, $2)", [
    migration.name,
    migration.hash,
  ]);
}

function readMigrations({ supabase, migrations = {} }: Project): Migration[] {
  const folders = { server: SERVER_MIGRATIONS, ...migrations, supabase: join(supabase, "migrations") };
  const seed = join(supabase, "seed.sql");
  return [
    ...Object.entries(folders).flatMap(([source, folder]) => readFolder(source, folder)),
    ...(existsSync(seed) ? [toMigration("supabase/seed.sql", readFileSync(seed, "utf8"))] : []),
  ];
}

const readFolder = (source: string, folder: string): Migration[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith(".sql"))
    .toSorted()
    .map((file) => toMigration(`${source}/${file}`, readFileSync(join(folder, file), "utf8")));

const toMigration = (name: string, sql: string): Migration => ({
  name,
  sql,
  hash: createHash("sha256").update(sql).digest("hex"),
});

async function readApplied(database: ServiceDatabase): Promise<Map<string, string>> {
  try {
    const { rows } = await database.query("select name, hash from server_migrations.applied");
    return new Map(rows.map((row) => [row.name, row.hash]));
  } catch (error) {
    if ((error as { code?: string }).code === "42P01") return new Map(); // a new database
    throw error;
  }
}

/** A newer program may have stored data that this one does not understand. */
function checkKnown(wanted: readonly Migration[], applied: ReadonlyMap<string, string>): void {
  const known = new Set(wanted.map(({ name }) => name));
  const unknown = [...applied.keys()].filter((name) => !known.has(name));
  if (unknown.length > 0) {
    throw new MigrationError(
      `This data was written by a newer version of the program, with ${unknown.join(", ")}. ` +
        "Update the program, or restore a backup that it made.",
    );
  }
}

function checkUnchanged(wanted: readonly Migration[], applied: ReadonlyMap<string, string>): void {
  const changed = wanted.filter(
    ({ name, hash }) => !name.endsWith("seed.sql") && applied.has(name) && applied.get(name) !== hash,
  );
  if (changed.length > 0) {
    throw new ChangedMigrationError(
      `Changed after they were applied: ${changed.map((migration) => migration.name).join(", ")}. ` +
        "Before the first release, start with new data (npm run new-data). After it, put the change into a new migration.",
    );
  }
}
