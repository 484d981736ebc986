// A link to PostgreSQL that can fall silent without closing, as a pulled cable looks from both ends. Stopping the backend
// itself would do the same, but hold up every test that creates or drops a database meanwhile: PostgreSQL waits for its answer.
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const SOCKET = ".s.PGSQL.5432";

export interface SilentLink {
  /** The address of the database over this link. */
  url(direct: string): string;
  /** Existing connections receive nothing any more; new connections are served. */
  silence(): void;
  /** Resumes the silent connections. */
  resume(): void;
  close(): void;
}

export function openSilentLink(): SilentLink {
  const folder = mkdtempSync(join(tmpdir(), "link-"));
  const sockets = new Set<Socket>();
  let target = "";
  const server = createServer((near) => {
    const far = connect(join(target, SOCKET));
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on("data", (data) => to.write(data));
      from.on("error", () => to.destroy());
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  server.listen(join(folder, SOCKET));
  return {
    url(direct) {
      const address = new URL(direct);
      target = address.searchParams.get("host")!;
      address.searchParams.set("host", folder);
      return address.href;
    },
    silence: () => sockets.forEach((socket) => socket.pause()),
    resume: () => sockets.forEach((socket) => socket.resume()),
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
