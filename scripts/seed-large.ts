// `npm run seed:large`: fills the running server's database with the history of a large festival, to see how the back office copes:
// 250,000 tickets and 1,000,000 visits by default (-- --tickets N --visits N), and with --scans N the gate's history too. Stock, orders,
// payments, tickets and permits add up as if they had been sold. It cannot be undone: use a separate data folder.
import { openDatabase } from "../server/src/postgres/database.ts";
import { commandLine } from "./command-line.ts";
import { readServerStatus } from "./server-status.ts";
import { seedLarge } from "./seed/large.ts";

const { values } = commandLine("npm run seed:large [-- --tickets N --visits N --scans N]", {
  options: {
    tickets: { type: "string", default: "250000" },
    visits: { type: "string", default: "1000000" },
    scans: { type: "string", default: "0" },
  },
});
const tickets = Number(values.tickets);
const visits = Number(values.visits);
const scans = Number(values.scans);
if ([tickets, visits, scans].some((amount) => !Number.isSafeInteger(amount) || amount < 0)) {
  console.error("--tickets, --visits and --scans take whole numbers.");
  process.exit(2);
}
const status = await readServerStatus();
if (!status) {
  console.error("No server is running on this data folder. Start it with: npm start");
  process.exit(1);
}
const database = openDatabase(status.values.DB_URL!, { sizes: { requests: 1, service: 2 } });
try {
  await seedLarge(database, { tickets, visits, scans }, (step, seconds) =>
    console.log(`${step.padEnd(24)} ${seconds.toFixed(1).padStart(7)} s`),
  );
} finally {
  await database.close();
}
