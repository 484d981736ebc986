// Sends the waiting scans, in order and page by page. Each has its id, so one that arrives twice counts once. Only scans the
// server has answered leave the queue.
import type { GateScanAnswer } from "contract/gate";
import { isNewer } from "../rules/decide.ts";
import { leftOut, nextPage, noticeOf, pageSizeAfter, type QueuedScan } from "../rules/hand-in.ts";
import { Unreachable } from "./calls.ts";
import { change, type GateDevice, heard } from "./gate-device.ts";

const PATIENCE_MS = 20_000;

export async function handIn(device: GateDevice): Promise<void> {
  const { queue, visit } = device;
  // Scans the server could not store are sent again with the next beat, and block nothing else.
  const leftBehind = new Set<string>();
  for (;;) {
    const { pageSize } = device;
    const sent = nextPage(queue.entries(), leftBehind, pageSize);
    if (sent.length === 0) return;
    const answers = await send(device, sent).catch((error: unknown) => {
      if (error instanceof Unreachable) device.pageSize = pageSizeAfter(pageSize, false);
      throw error;
    });
    device.pageSize = pageSizeAfter(pageSize, true);
    await settle(device, sent, answers, visit);
    if (device.visit !== visit) return;
    for (const id of leftOut(sent, new Set(answers.keys()))) leftBehind.add(id);
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
  device: GateDevice,
  sent: readonly QueuedScan[],
  answers: ReadonlyMap<string, GateScanAnswer>,
  visit: number,
): Promise<void> {
  const { store, queue } = device;
  const done = sent.filter(({ scan }) => answers.has(scan.id));
  // What it says about the scans of a former user concerns nobody here.
  const notices = device.visit === visit ? noticesOf(device, done, answers) : [];
  // Notices first: if the battery dies in between, they are shown again instead of lost.
  if (notices.length > 0) await store.putNotices(notices);
  const ids = done.map(({ scan }) => scan.id);
  await store.dequeue(ids);
  queue.remove(new Set(ids));
  const before = device.snapshot.notices.filter(({ id }) => !answers.has(id));
  change(device, device.visit === visit ? { notices: [...notices, ...before] } : {});
}

const noticesOf = (
  device: GateDevice,
  done: readonly QueuedScan[],
  answers: ReadonlyMap<string, GateScanAnswer>,
) =>
  done.flatMap((entry) => {
    const row = device.codes.get(entry.scan.code_id ?? "");
    const name = row && !isNewer(entry.scan.issue_number, row) ? row.name : "";
    return noticeOf(entry, answers.get(entry.scan.id)!, { name, here: placeOf(device, entry) }) ?? [];
  });

/** Where it was scanned: the phone may be at another entrance by now. */
function placeOf({ snapshot: { opened } }: GateDevice, { scan }: QueuedScan): string {
  const entrance = opened?.entrances.find(({ id }) => id === scan.entrance_id);
  return [entrance?.name, opened?.device.name].filter(Boolean).join(", ");
}
