// What the storage tests share: the storage service over HTTP on a cloned database, with people to act as.
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { getRequestListener } from "@hono/node-server";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { type Clock, systemClock } from "../../src/platform/clock.ts";
import { type Claims, createTokens } from "../../src/platform/keys/jwt.ts";
import { createLog } from "../../src/platform/log.ts";
import {
  createDiskStore,
  createStorage,
  type StorageDeps,
  type StorageService,
} from "../../src/storage/index.ts";
import { cloneDatabase, type TestDatabase } from "../database.ts";

const secret = "a-test-secret-of-at-least-32-characters";

export const alice = "00000000-0000-4000-8000-00000000000a";
export const bob = "00000000-0000-4000-8000-00000000000b";

const PEOPLE = {
  service: { role: "service_role" },
  anon: { role: "anon" },
  alice: { role: "authenticated", sub: alice },
  bob: { role: "authenticated", sub: bob },
} satisfies Record<string, Claims>;

type Person = keyof typeof PEOPLE;

export interface StorageWorld {
  readonly db: TestDatabase;
  readonly url: string;
  readonly tokens: ReturnType<typeof createTokens>;
  /** The folder of the objects' bytes. */
  readonly directory: string;
  readonly clients: Readonly<Record<Person, SupabaseClient>>;
  readonly bearer: Readonly<Record<Person, string>>;
  /** The folder of unfinished uploads. */
  readonly uploads: string;
  /** How many files of objects there are. */
  files(): number;
  /** What the schedule does: returns how many files of expired uploads were removed, and so on. */
  sweep(): ReturnType<StorageService["sweep"]>;
  /** The same database and folder with a new server, as after a restart. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** Buckets `posters`, public, and `papers`, where people own what lies below their own id. */
export async function openStorage(options: Partial<StorageDeps> = {}): Promise<StorageWorld> {
  const db = await cloneDatabase();
  const home = mkdtempSync(join(tmpdir(), "storage-test-"));
  const directory = join(home, "objects");
  const clock: Clock = options.clock ?? systemClock;
  const tokens = createTokens(secret, systemClock);
  const make = () =>
    createStorage({
      ...{ database: db.database, objectStore: createDiskStore(directory), secret, clock },
      ...{ log: createLog("silent"), renders: join(home, "renders"), uploads: join(home, "uploads") },
      ...options,
    });
  let storage = make();
  const server = await serve((request) => answer(request));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  /** Does what the gateway does for this service, and no more. */
  async function answer(request: Request): Promise<Response> {
    const address = new URL(request.url);
    const token = request.headers.get("authorization")?.slice("Bearer ".length);
    const claims = (token ? await tokens.verify(token) : { role: "anon" }) as Claims;
    address.pathname = address.pathname.replace(/^\/storage\/v1/, "");
    const context = { requestId: "test", claims, token, ip: "127.0.0.1", apiUrl: url };
    return storage.fetch(new Request(address, request), context);
  }

  const exp = Math.floor(Date.now() / 1000) + 3600;
  const bearer = mapPeople((person) => tokens.sign({ ...PEOPLE[person], exp }));
  const clients = mapPeople((person) =>
    createClient(url, bearer[person], { auth: { persistSession: false, autoRefreshToken: false } }),
  );
  await db.database.asService("the test's policies").query(`
    insert into storage.buckets (id, name, public) values ('posters', 'posters', true), ('papers', 'papers', false);
    create policy "People write below their own id" on storage.objects for insert to authenticated
      with check (bucket_id = 'papers' and (storage.foldername(name))[1] = current_setting('request.jwt.claims')::json->>'sub');
    create policy "People read their own" on storage.objects for select to authenticated
      using (owner_id = current_setting('request.jwt.claims')::json->>'sub');
    create policy "People change their own" on storage.objects for update to authenticated
      using (owner_id = current_setting('request.jwt.claims')::json->>'sub');
    create policy "People delete their own" on storage.objects for delete to authenticated
      using (owner_id = current_setting('request.jwt.claims')::json->>'sub');
  `);
  return {
    ...{ db, url, tokens, directory, uploads: join(home, "uploads"), clients, bearer },
    files: () =>
      readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
        .length,
    sweep: () => storage.sweep(),
    async restart() {
      await storage.close();
      storage = make();
    },
    async close() {
      await storage.close();
      server.closeAllConnections();
      server.close();
      await db.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** A world and its buckets for the tests of one file: `const { papers } = await useStorage()` at the top. Closed after the last. */
export async function useStorage() {
  const world = await openStorage();
  afterAll(() => world.close());
  const bucketAs = (id: string) => (who: Person) => world.clients[who].storage.from(id);
  return { world, papers: bucketAs("papers"), posters: bucketAs("posters"), files: () => world.files() };
}

const mapPeople = <T>(of: (person: Person) => T) =>
  Object.fromEntries(Object.keys(PEOPLE).map((person) => [person, of(person as Person)])) as Record<
    Person,
    T
  >;

function serve(answer: (request: Request) => Promise<Response>): Promise<Server> {
  return new Promise((resolve) => {
    const started = createServer(getRequestListener(answer)).listen(0, "127.0.0.1", () => resolve(started));
  });
}
