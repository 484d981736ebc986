import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { quickFolder } from "../../server/testing/quick-folder.ts";
import { visitorClient } from "../support/server/clients.ts";
import {
  type Festival,
  processesUsing,
  removeFolder,
  runFestivalToItsEnd,
  startFestival,
} from "../support/server/festival.ts";
import { preparedFolder, prepareFolder } from "../support/server/prepared-data.ts";

let dataDir: string;
let running: Festival[] = [];

const start = async (options: Partial<Parameters<typeof startFestival>[0]> = {}) => {
  const festival = await startFestival({ dataDir, ...options });
  running.push(festival);
  return festival;
};

/** As a visitor's browser would: is there anything to buy? */
async function ticketTypes({ status }: Festival): Promise<string[]> {
  const client = visitorClient(status);
  const { data, error } = await client.from("ticket_types").select("name").order("name");
  if (error) throw error;
  return data.map(({ name }) => name as string);
}

beforeEach(() => {
  dataDir = quickFolder("festival-");
});

afterEach(async () => {
  for (const festival of running.splice(0)) await festival.stop("SIGKILL").catch(() => {});
  removeFolder(dataDir);
});

describe("npm start on an empty folder", () => {
  it("serves the site, prints its address, and leaves nothing behind on Ctrl-C", async () => {
    const festival = await start({ viaNpm: true });
    expect((await fetch(festival.url)).headers.get("content-type")).toContain("text/html");
    expect(await ticketTypes(festival)).toContain("General Admission");
    const { API_URL, MAIL_URL, ADMIN_EMAIL, ADMIN_PASSWORD } = festival.status;
    for (const printed of [API_URL, MAIL_URL, ADMIN_EMAIL, ADMIN_PASSWORD, "sandbox"]) {
      expect(festival.output()).toContain(printed);
    }

    await festival.stop("SIGINT");
    await expect.poll(() => processesUsing(dataDir)).toEqual([]);
  });

  it("recreates a cluster whose creation was interrupted", async () => {
    mkdirSync(join(dataDir, "postgres.unfinished/base"), { recursive: true });
    writeFileSync(join(dataDir, "postgres.unfinished/PG_VERSION"), "18\n");
    expect(await ticketTypes(await start())).toContain("General Admission");
  });
});

describe("npm start", () => {
  beforeEach(() => prepareFolder(dataDir));

  it("finds everything again on the second start, without building or installing", async () => {
    const first = await start();
    await first.stop();
    const second = await start();
    expect(second.output()).not.toMatch(/Building|Installing/);
    expect(second.status.ANON_KEY).toBe(first.status.ANON_KEY);
    expect(second.status.ADMIN_PASSWORD).toBe(first.status.ADMIN_PASSWORD);
    expect(await ticketTypes(second)).toEqual(["General Admission", "VIP", "Youth (10 to 17)"]);
    expect(await second.stop("SIGTERM")).toBe(0);
    expect(processesUsing(dataDir)).toEqual([]);
  });

  it("completes the administrator left half-created by an interrupted start", async () => {
    const broken = await start();
    const database = new pg.Client({ connectionString: broken.status.DB_URL! });
    await database.connect();
    await database.query(`set session_replication_role = replica; -- the last administrator is guarded by a trigger
      delete from public.user_roles; delete from server_migrations.first_admin`);
    await database.end();
    await broken.stop();

    const { status } = await start();
    const client = visitorClient(status);
    await client.auth.signInWithPassword({ email: status.ADMIN_EMAIL!, password: status.ADMIN_PASSWORD! });
    expect((await client.rpc("is_admin")).data).toBe(true);
  });

  it("keeps no administrator's password once money is real: a link sets it", async () => {
    const secrets = () => readFileSync(join(dataDir, "secrets.json"), "utf8");
    const sandbox = await start();
    const password = sandbox.status.ADMIN_PASSWORD!;
    expect(secrets()).toContain(password);
    await sandbox.stop();

    const real = await start({
      env: {
        STRIPE_SECRET_KEY: "sk_test_1",
        STRIPE_PUBLISHABLE_KEY: "pk_test_1",
        STRIPE_WEBHOOK_SECRET: "whsec_1",
        ALERT_EMAIL: "office@festival.example",
      },
    });
    expect(real.status).not.toHaveProperty("ADMIN_PASSWORD");
    expect(real.status.ADMIN_EMAIL).toBe(sandbox.status.ADMIN_EMAIL);
    expect(secrets()).not.toContain(password);
    expect(real.output()).toContain(`npm run admin -- link ${real.status.ADMIN_EMAIL}`);
    const client = visitorClient(real.status);
    const old = await client.auth.signInWithPassword({ email: real.status.ADMIN_EMAIL!, password });
    expect(old.error?.code).toBe("invalid_credentials");
  });

  it("shows the administrator's password until it is changed, and nowhere after that", async () => {
    const { status } = await start();
    const password = status.ADMIN_PASSWORD!;
    const client = visitorClient(status);
    await client.auth.signInWithPassword({ email: status.ADMIN_EMAIL!, password });
    const shown = () =>
      ["status.json", "secrets.json"].filter((file) =>
        readFileSync(join(dataDir, file), "utf8").includes(password),
      );
    expect(shown()).toHaveLength(2);
    expect((await client.auth.updateUser({ password: "candy paint and chrome" })).error).toBeNull();
    await expect.poll(shown).toEqual([]);
    expect(readFileSync(join(dataDir, "status.json"), "utf8")).toContain(status.ADMIN_EMAIL);
  });

  it("starts again after kill -9", async () => {
    const killed = await start();
    await killed.stop("SIGKILL");
    const festival = await start();
    expect(await ticketTypes(festival)).toContain("General Admission");
  });

  it("repairs a postmaster.pid whose number now belongs to another program", async () => {
    const first = await start();
    await first.stop();
    writeFileSync(
      join(dataDir, "postgres/postmaster.pid"),
      `${process.pid}\n${join(dataDir, "postgres")}\n0\n5432\n`,
    );
    writeFileSync(join(dataDir, "server.pid"), "999999999");
    const festival = await start();
    expect(await ticketTypes(festival)).toContain("General Admission");
  });

  it("reports which port is busy and how to choose another", async () => {
    const other = createServer();
    await new Promise<void>((listening) => other.listen(0, "127.0.0.1", listening));
    const port = String((other.address() as AddressInfo).port);
    const { code, output } = await runFestivalToItsEnd({ dataDir, env: { PORT: port } });
    other.close();
    expect(code).toBe(1);
    expect(output).toContain(`Port ${port} is in use`);
    expect(output).toContain("PORT=");
    expect(processesUsing(dataDir)).toEqual([]);
  });

  it("does not share the port of another festival", async () => {
    const { url } = await start();
    const second = preparedFolder();
    const { code, output } = await runFestivalToItsEnd({ dataDir: second, env: { PORT: new URL(url).port } });
    removeFolder(second);
    expect(code).toBe(1);
    expect(output).toContain(`Port ${new URL(url).port} is in use`);
  });

  it("reports that the data folder cannot be written", async () => {
    const file = join(dataDir, "a file");
    writeFileSync(file, "");
    const { code, output } = await runFestivalToItsEnd({ dataDir: join(file, "data") });
    expect(code).toBe(1);
    expect(output).toContain("cannot be written");
    expect(output).toContain("DATA_DIR");
  });

  it("refuses a folder on which a server runs, and leaves that server alone", async () => {
    const festival = await start();
    const { code, output } = await runFestivalToItsEnd({ dataDir });
    expect(code).toBe(1);
    expect(output).toContain("already runs");
    expect(await ticketTypes(festival)).toContain("General Admission");
  });

  it("names the invalid variable", async () => {
    const { code, output } = await runFestivalToItsEnd({ dataDir, env: { PORT: "eighty" } });
    expect(code).toBe(1);
    expect(output).toContain("PORT");
  });

  it("does not sell for real money in production unless told to", async () => {
    const { code, output } = await runFestivalToItsEnd({ dataDir, env: { NODE_ENV: "production" } });
    expect(code).toBe(1);
    expect(output).toContain("STRIPE_SECRET_KEY");
    expect(processesUsing(dataDir)).toEqual([]);
  });
});
