// A process that stores, overwrites or removes an object and is killed, as by `kill -9`, at the step that its arguments name.
import type { RequestScope } from "../../src/postgres/scope/request-scope.ts";
import { openDatabase } from "../../src/postgres/database.ts";
import { createDiskStore } from "../../src/storage/bytes/disk-store.ts";
import type { ObjectStore } from "../../src/storage/bytes/object-store.ts";
import { Objects } from "../../src/storage/objects.ts";

const [url, directory, step, name] = process.argv.slice(2) as [string, string, string, string];

const die = () => process.kill(process.pid, "SIGKILL");
const disk = createDiskStore(directory);

async function* halfOf(body: AsyncIterable<Uint8Array>) {
  for await (const chunk of body) {
    yield chunk;
    die();
  }
}

/** Dies while bytes are written, after they are written, or before the old ones are removed. */
const store: ObjectStore = {
  ...disk,
  async put(version, body) {
    const file = await disk.put(version, step === "writing" ? halfOf(body) : body);
    if (step === "written") die();
    return file;
  },
  async remove(versions) {
    if (step === "removing") die();
    await disk.remove(versions);
  },
};

const objects = new Objects(openDatabase(url), store, 1_000_000);
const caller: RequestScope = { claims: { role: "service_role" } };
if (step === "removing" && name.startsWith("gone")) {
  await objects.remove(caller, "papers", [name]);
} else {
  const request = new Request("http://localhost", { method: "POST", body: "new bytes" });
  await objects.upload(caller, { bucket: "papers", name }, request, true);
}
