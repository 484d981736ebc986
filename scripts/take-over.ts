// `npm run take-over -- --send | --drop`: lets a restored copy send email and move money, once the shop it was made from has
// stopped. What waited when the backup was made may have been sent since: `--send` sends it, `--drop` leaves those emails out.
// Refunds that waited are made in either case; the provider makes none twice.
import { existsSync, rmSync } from "node:fs";
import { restoredFile } from "../server/src/data-folder.ts";
import { openDatabase } from "../server/src/postgres/database.ts";
import { commandLine } from "./command-line.ts";
import { dataDirectory, readServerStatus } from "./server-status.ts";

const usage = "npm run take-over -- --send | --drop";
const { values } = commandLine(usage, {
  options: { send: { type: "boolean", default: false }, drop: { type: "boolean", default: false } },
});

function stop(message: string): never {
  console.error(message);
  process.exit(1);
}

const marker = restoredFile(dataDirectory());
if (!existsSync(marker)) stop(`${dataDirectory()} is not a restored copy, or has already taken over.`);
const status = await readServerStatus();
if (!status) stop("No server is running on this data folder. Start it with: npm start");
const database = openDatabase(status.values.DB_URL!, { sizes: { requests: 1, service: 1 } });
const owner = database.asService("what a copy repeats to the world is for its operator to decide");
try {
  if (values.send === values.drop) {
    const { rows } = await owner.query(
      `select count(*) filter (where lane <> 'money')
                + (select count(*) from auth.mail_outbox) as emails,
              count(*) filter (where kind = 'refund') as refunds
       from public.outbox where done_at is null and dead_at is null`,
    );
    const { emails, refunds } = rows[0] as { emails: string; refunds: string };
    stop(
      `${emails} emails and ${refunds} refunds wait since the backup was made.\n` +
        `Stop the other shop, then send the emails with --send, or leave them out with --drop.\n\nUsage: ${usage}`,
    );
  }
  if (values.drop) {
    await owner.transaction(async (tx) => {
      await tx.query(
        "delete from public.outbox where lane <> 'money' and done_at is null and dead_at is null",
      );
      await tx.query("delete from auth.mail_outbox");
    });
  }
  rmSync(marker);
  console.log("This copy has taken over. It starts working within five seconds.");
} finally {
  await database.close();
}
