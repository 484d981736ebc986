// Finds people: on the server while it responds, otherwise in the device's own list. Each result has the verdict that a scan
// would get.
import { MOVES } from "../rules/after-scan.ts";
import { type BookRow, decide, type Verdict } from "../rules/decide.ts";
import { findPeople } from "../rules/find.ts";
import { AccessRemoved, Unreachable } from "./calls.ts";
import type { Session } from "./gate-device.ts";
import { ask, booksOf, lost, removed } from "./session.ts";
import type { FoundPerson, WayOut } from "./snapshot.ts";

export async function searchPeople(
  session: Session,
  text: string,
  action: "in" | "out",
): Promise<readonly FoundPerson[]> {
  const typeName = (id: string) => booksOf(session).types.find((type) => type.id === id)?.name ?? "";
  return (
    (await askServer(session, text, action)) ??
    findPeople(session.codes.rows(), text).map((row) => ({
      row,
      type: typeName(row.type_id),
      would: wouldBe(session, row, action),
      out: wayOutHere(session, row.id),
    }))
  );
}

async function askServer(
  session: Session,
  text: string,
  action: "in" | "out",
): Promise<readonly FoundPerson[] | undefined> {
  const { device, codes } = session;
  if (device.snapshot.offlineSince !== undefined) return undefined;
  // Includes scans that are sent while the server searches, because its response may be older.
  const waiting = new Set(device.queue.entries().map(({ scan }) => scan.code_id));
  try {
    const { people } = await ask(session, () => device.calls.search(text));
    return people.map(
      ({
        type,
        would,
        admission_id,
        out_id,
        is_in: _in,
        code: _code,
        is_vip: _vip,
        includes_parking: _parking,
        ...row
      }) => {
        // The server does not know yet what is queued here.
        const isOwn = waiting.has(row.id) || device.queue.hasCode(row.id);
        const own = isOwn ? codes.get(row.id) : undefined;
        const here = wouldBe(session, own ?? row, action);
        return {
          row: own ?? row,
          type,
          would: own || action === "out" || !would ? here : { ...here, result: would },
          ...(own
            ? { out: wayOutHere(session, row.id) }
            : {
                admissionId: admission_id ?? undefined,
                out: out_id && row.last_in_at ? { id: out_id, since: row.last_in_at } : undefined,
              }),
        };
      },
    );
  } catch (error) {
    if (error instanceof AccessRemoved && error.why !== "unknown_device") await removed(session, error.why);
    else if (error instanceof Unreachable) lost(session, error);
    void device.beatNow();
    return undefined;
  }
}

/** The last exit this device itself recorded can be undone without a network. */
function wayOutHere({ device: { snapshot } }: Session, codeId: string): WayOut | undefined {
  const last = snapshot.recent.find((scan) => scan.codeId === codeId && MOVES.has(scan.result));
  return last?.result === "let_out" ? { id: last.id, since: last.since ?? last.at } : undefined;
}

function wouldBe(session: Session, row: BookRow, action: "in" | "out"): Verdict {
  const look = { action, codeId: row.id, issueNumber: null, typeId: row.type_id };
  return decide(look, { ...booksOf(session), row: () => row }, session.device.clock.now());
}
