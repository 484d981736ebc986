// `npm run take-over -- --send | --drop`: lets a restored copy send email, make refunds and take orders, once the shop it was made
// from has stopped. What waited when the backup was made may have been sent since: `--send` sends it, `--drop` leaves those emails
// out. Everything else that waits is done in either case: the provider makes no refund twice.
import { rmSync, statSync } from "node:fs";
import { isRestoredCopy, restoredFile } from "../server/src/data-folder.ts";
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
if (!isRestoredCopy(dataDirectory()))
  stop(`${dataDirectory()} is not a restored copy, or has already taken over.`);
const status = await readServerStatus();
if (!status) stop("No server is running on this data folder. Start it with: npm start");
const database = openDatabase(status.values.DB_URL!, { sizes: { requests: 1, service: 1 } });
const owner = database.asService("what a copy repeats to the world is for its operator to decide");
/** The copy itself has sent nothing, so what is newer than its marker nobody else can have sent. */
const restoredAt = statSync(marker).mtime;
const MAILS = "kind ~ '_mails?$' and done_at is null and dead_at is null and created_at <= $1";
try {
  if (values.send === values.drop) {
    const { rows } = await owner.query(
      `select (select count(*) from public.outbox where ${MAILS})
                + (select count(*) from auth.mail_outbox where created_at <= $1) as emails,
              (select count(*) from public.outbox
               where kind = 'refund' and done_at is null and dead_at is null) as refunds`,
      [restoredAt],
    );
    const { emails, refunds } = rows[0] as { emails: string; refunds: string };
    stop(
      `${emails} emails and ${refunds} refunds wait since the backup was made.\n` +
        `Stop the other shop, then send the emails with --send, or leave them out with --drop.\n\nUsage: ${usage}`,
    );
  }
  if (values.drop) {
    await owner.transaction(async (tx) => {
      // The rows stay: without their keys the same email could be written again.
      await tx.query(
        `update public.outbox set done_at = now(), last_error = 'left out when this copy took over' where ${MAILS}`,
        [restoredAt],
      );
      await tx.query("delete from auth.mail_outbox where created_at <= $1", [restoredAt]);
    });
  }
  rmSync(marker);
  console.log("This copy has taken over. It starts working within five seconds.");
} finally {
  await database.close();
}
