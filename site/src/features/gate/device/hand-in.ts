// Sends the waiting scans, in order and page by page. Each has its id, so one that arrives twice counts once. Only scans the
// server has answered leave the queue.
import type { GateScanAnswer } from "contract/gate";
import { isNewer } from "../rules/decide.ts";
import { nextPage, noticeOf, pageSizeAfter, type QueuedScan } from "../rules/waiting-scans.ts";
import { Unreachable } from "./calls.ts";
import type { GateDevice, Session } from "./gate-device.ts";
import { heard, keep, show } from "./session.ts";

const PATIENCE_MS = 20_000;

/** A page that is under way when the session ends is still taken from the queue, so that the next session does not send it again. */
export async function handIn(session: Session): Promise<void> {
  const { device, signal } = session;
  // Scans the server could not store are sent again with the next beat, and block nothing else.
  const leftBehind = new Set<string>();
  while (!signal.aborted) {
    const { pageSize } = device;
    const sent = nextPage(device.queue.entries(), leftBehind, pageSize);
    if (sent.length === 0) return;
    const answers = await send(device, sent).catch((error: unknown) => {
      if (error instanceof Unreachable) device.pageSize = pageSizeAfter(pageSize, false);
      throw error;
    });
    device.pageSize = pageSizeAfter(pageSize, true);
    await settle(session, sent, answers);
    for (const { scan } of sent) if (!answers.has(scan.id)) leftBehind.add(scan.id);
  }
}

async function send(
  device: GateDevice,
  sent: readonly QueuedScan[],
): Promise<ReadonlyMap<string, GateScanAnswer>> {
  const { calls, queue, deviceNow } = device;
  const scans = sent.map(({ scan }) => scan);
  const { results } = await heard(device, () =>
    calls.scan(scans, queue.size() - sent.length, deviceNow(), PATIENCE_MS),
  );
  return new Map(results.map((answer) => [answer.id, answer]));
}

async function settle(
  session: Session,
  sent: readonly QueuedScan[],
  answers: ReadonlyMap<string, GateScanAnswer>,
): Promise<void> {
  const { store, queue } = session.device;
  const done = sent.filter(({ scan }) => answers.has(scan.id));
  const notices = noticesOf(session, done, answers);
  // Notices first: if the battery dies in between, they are shown again instead of lost.
  if (notices.length > 0) await keep(session, (to) => to.putNotices(notices));
  const ids = done.map(({ scan }) => scan.id);
  await store.dequeue(ids);
  queue.remove(new Set(ids));
  const before = session.device.snapshot.notices.filter(({ id }) => !answers.has(id));
  show(session, { notices: [...notices, ...before] });
}

const noticesOf = (
  { codes, device }: Session,
  done: readonly QueuedScan[],
  answers: ReadonlyMap<string, GateScanAnswer>,
) =>
  done.flatMap((entry) => {
    const row = codes.get(entry.scan.code_id ?? "");
    const name = row && !isNewer(entry.scan.issue_number, row) ? row.name : "";
    return noticeOf(entry, answers.get(entry.scan.id)!, { name, here: placeOf(device, entry) }) ?? [];
  });

/** Where it was scanned: the device may be at another entrance by now. */
function placeOf({ snapshot: { opened } }: GateDevice, { scan }: QueuedScan): string {
  const entrance = opened?.entrances.find(({ id }) => id === scan.entrance_id);
  return [entrance?.name, opened?.device.name].filter(Boolean).join(", ");
}
