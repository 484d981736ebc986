import { RECONNECTING } from "../support/page/faults.ts";
// The gate's server as one picture needs it: its answers are changed on their way to the page, and the database is not.
import type { Page } from "@playwright/test";
import type { GateEntrance, GateScan, GateScanAnswer } from "contract/gate";

/** The changes. Empty: the server's own answers. */
export interface Changes {
  /** No call gets through. */
  isCut?: boolean;
  /** Calls wait forever. */
  isSilent?: boolean;
  /** The reason why the right was revoked. */
  removed?: string;
  /** The message with which the server refuses every call. */
  refused?: string;
  /** The answer to every scan. */
  answer?: Omit<GateScanAnswer, "id">;
  entrances?: (entrances: GateEntrance[]) => GateEntrance[];
  settings?: object;
  /** Milliseconds by which the server's clock is ahead. */
  ahead?: number;
}

interface Answer {
  now?: number;
  entrances?: GateEntrance[];
  settings?: object;
}

/** Returns a function that sets the changes for the next calls. */
export async function changeAnswers(page: Page): Promise<(next: Changes) => void> {
  let changes: Changes = {};
  await page.route("**/rest/v1/rpc/gate_*", async (route) => {
    const { isCut, isSilent, removed, refused, answer, ahead = 0 } = changes;
    if (isSilent) return;
    if (isCut) return route.abort("internetdisconnected");
    if (removed) {
      const json = { code: "42501", message: "", details: "gate_access_removed", hint: removed };
      return route.fulfill({ status: 403, json });
    }
    if (refused) return route.fulfill({ status: 400, json: { code: "P0001", message: refused } });
    if (answer && route.request().url().endsWith("/gate_scan")) {
      const { p_scans } = route.request().postDataJSON() as { p_scans: GateScan[] };
      const results = p_scans.map(({ id }) => ({ id, ...answer }));
      return route.fulfill({ json: { now: Date.now() + ahead, results } });
    }
    const response = await route.fetch(RECONNECTING);
    const body = (await response.json().catch(() => null)) as Answer | null;
    return route.fulfill({ response, json: body && changed(body, changes) });
  });
  return (next) => {
    changes = next;
  };
}

function changed(body: Answer, { entrances, settings, ahead = 0 }: Changes): Answer {
  return {
    ...body,
    ...(body.now && { now: body.now + ahead }),
    ...(body.entrances && entrances && { entrances: entrances(body.entrances) }),
    ...(body.settings && { settings: { ...body.settings, ...settings } }),
  };
}
