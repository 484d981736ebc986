// A client that breaks off its body is not a failure of the service.
import { expect, it, vi } from "vitest";
import { systemClock } from "../platform/clock.ts";
import type { Log } from "../platform/log.ts";
import { createStorage, type StorageDeps } from "./index.ts";

it.each([
  [true, 499, 0],
  [false, 500, 1],
])("a body that ends in an error because its client left: %s", async (gone, status, errors) => {
  const error = vi.fn();
  const storage = createStorage({
    ...({ database: {}, objectStore: {} } as Pick<StorageDeps, "database" | "objectStore">),
    ...{ secret: "secret", renders: "", uploads: "", clock: systemClock, log: { error } as unknown as Log },
  });
  const body = new ReadableStream({ pull: (sending) => sending.error(new Error("aborted")) });
  const init = { method: "POST", body, duplex: "half" as const };
  const answer = await storage.fetch(new Request("http://localhost/bucket", init), {
    ...{ requestId: "1", claims: { role: "anon" }, token: undefined, ip: "192.0.2.1", apiUrl: "" },
    departure: { gone, onGone: () => () => {} },
  });
  expect([answer.status, error.mock.calls.length]).toEqual([status, errors]);
});
