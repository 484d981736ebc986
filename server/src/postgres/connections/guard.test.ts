// Answers that pg cannot read: the query fails and its connection ends, but the process and the pool continue.
import { createServer, type Socket } from "node:net";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { readWal } from "../../realtime/changes/wal/wal-connection.ts";
import { openDatabase } from "../database.ts";

const message = (code: string, body: Buffer) => {
  const head = Buffer.alloc(5);
  head.write(code, "latin1");
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};
const READY = message("Z", Buffer.from("I"));
const WELCOME = Buffer.concat([message("R", Buffer.from([0, 0, 0, 0])), READY]);
/** Announces a thousand columns and sends none. */
const BROKEN = message("T", Buffer.from([3, 232]));
const DONE = Buffer.concat([
  message("1", Buffer.alloc(0)),
  message("2", Buffer.alloc(0)),
  message("n", Buffer.alloc(0)),
  message("C", Buffer.from("SELECT 0\0")),
  READY,
]);

test("an unreadable message ends only its own connection", async () => {
  const answers = [BROKEN, DONE];
  const sockets = new Set<Socket>();
  const postgres = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("data", () => {
      socket.write(WELCOME);
      socket.on("data", (asked) => {
        if (asked.toString("latin1").includes("select")) socket.write(answers.shift() ?? DONE);
      });
    });
  });
  await new Promise<void>((ready) => postgres.listen(0, "127.0.0.1", ready));
  const { port } = postgres.address() as AddressInfo;
  const database = openDatabase(`postgresql://somebody@127.0.0.1:${port}/somewhere`);
  onTestFinished(async () => {
    await database.close();
    for (const socket of sockets) socket.destroy();
    postgres.close();
  });
  const service = database.asService("the test asks a PostgreSQL that is none");
  await expect(service.query("select")).rejects.toThrow();
  await expect(service.query("select")).resolves.toMatchObject({ rows: [] });
  expect(sockets.size).toBe(2);
});

const GONE = message(
  "E",
  Buffer.from("SFATAL\0VFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0"),
);

/** The address of a PostgreSQL that accepts a login and announces in the same packet that it is shutting down. */
async function leavingPostgres(): Promise<string> {
  const postgres = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end(Buffer.concat([WELCOME, GONE])));
  });
  await new Promise<void>((ready) => postgres.listen(0, "127.0.0.1", ready));
  onTestFinished(() => void postgres.close());
  return `postgresql://somebody@127.0.0.1:${(postgres.address() as AddressInfo).port}/somewhere`;
}

/** Collects errors that would have ended the process. */
function uncaught(): unknown[] {
  const unheard: unknown[] = [];
  const hear = (error: unknown) => unheard.push(error);
  process.on("uncaughtException", hear);
  onTestFinished(() => void process.off("uncaughtException", hear));
  return unheard;
}

test("a PostgreSQL that shuts down as it accepts a login refuses the request, without ending the process", async () => {
  const database = openDatabase(await leavingPostgres());
  onTestFinished(() => database.close());
  const unheard = uncaught();
  const service = database.asService("the test asks a PostgreSQL that goes away");
  await expect(service.query("select")).rejects.toMatchObject({ status: 503 });
  expect(unheard).toEqual([]);
});

test("a PostgreSQL that shuts down as it accepts a replication loses that connection", async () => {
  const url = await leavingPostgres();
  const unheard = uncaught();
  const reader = { onStart() {}, onChanges() {} };
  const never = new Promise<void>(() => {});
  const lost = await readWal({ url, silence: 15_000 }, reader, never).catch((error: unknown) => error);
  expect(unheard).toEqual([]);
  expect(lost).toMatchObject({ message: expect.stringContaining("postmaster exit") });
});
