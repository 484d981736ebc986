// The rows of `npm run bench`, named like the promises.
import { measureBroadcast } from "./realtime/broadcast.ts";
import { measureFirstOrders } from "./sale/first-orders.ts";
import { measureCachedReads } from "./pages/cached-reads.ts";
import { measureDashboardsAtSize } from "./back-office/dashboards-at-size.ts";
import type { Figure, Settings } from "./figures.ts";
import { measureOrderMails } from "./sale/order-mails.ts";
import { measureOverload } from "./sale/overload.ts";
import { measureIdleSockets } from "./realtime/idle-sockets.ts";
import { measurePurchases } from "./sale/purchase.ts";
import { measureGate } from "./gate/gate.ts";
import { measureGateDevice } from "./gate/gate-device.ts";
import { measureRestReads } from "./services/rest-reads.ts";
import { measureRowChanges } from "./realtime/row-changes.ts";
import { measureScriptBytes } from "./pages/script-bytes.ts";
import { measureSignIns } from "./services/sign-ins.ts";
import { measureStartUp } from "./start-up.ts";
import { measureStoredObjects } from "./services/stored-objects.ts";
import { measureWatchedSale } from "./sale/watched-sale.ts";
import { measureWholeOrders } from "./sale/whole-orders.ts";

interface Row {
  readonly id: string;
  readonly title: string;
  /** Takes too long to be part of every run. */
  readonly onlyWhenAsked?: true;
  /** Throws when an answer was wrong. */
  readonly measure: (settings: Settings) => Promise<readonly Figure[]>;
}

export const ROWS: readonly Row[] = [
  { id: "P1", title: "signed-in reservations against the naive purchase", measure: measurePurchases },
  { id: "P2", title: "reads of the REST service against the real PostgREST", measure: measureRestReads },
  { id: "P3", title: "public pages against bare node:http", measure: measureCachedReads },
  { id: "P4", title: "orders placed at twice the load that saturates", measure: measureOverload },
  { id: "P5", title: "broadcasts to 1,000 sockets against a bare ws loop", measure: measureBroadcast },
  { id: "P6", title: "row changes to 1,000 subscribers against one", measure: measureRowChanges },
  { id: "P7", title: "reservations while dashboards are live", measure: measureWatchedSale },
  {
    id: "P8",
    title: "back-office functions at 100,000 orders and 1,000,000 visits (seeds once)",
    onlyWhenAsked: true,
    measure: measureDashboardsAtSize,
  },
  { id: "P9", title: "script of a page before it can be used", measure: measureScriptBytes },
  { id: "P10", title: "sign-ins against raw bcrypt, and what others notice", measure: measureSignIns },
  { id: "P11", title: "a phone at the gate", measure: measureGateDevice },
  { id: "P12", title: "a warm start until /health answers 200", measure: measureStartUp },
  { id: "P13", title: "the gate's scans, look-ups and admissions", measure: measureGate },
  { id: "P14", title: "stored objects against a bare file stream", measure: measureStoredObjects },
  {
    id: "P15",
    title: "memory of 10,000 sockets that say nothing",
    onlyWhenAsked: true,
    measure: measureIdleSockets,
  },
  { id: "P16", title: "whole orders against the reservation alone", measure: measureWholeOrders },
  {
    id: "P16c",
    title: "the first 100 orders of a cold server against the same once warm",
    measure: measureFirstOrders,
  },
  { id: "P17", title: "order mails to a mail server, and the sale beside them", measure: measureOrderMails },
];
