// The content of a log line, read as an operator's tools read it.
import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";

/** The lines that the statements write to standard error. */
function written(statements: string): Record<string, unknown>[] {
  const program = `
    const { createLog } = await import(${JSON.stringify(new URL("./log.ts", import.meta.url).href)});
    const log = createLog("info");
    ${statements}
  `;
  const { stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    encoding: "utf8",
  });
  return stderr
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

it("keeps one line for one event, whatever a client put into it", () => {
  const forged = '/x"}\n{"level":30,"msg":"signed in","path":"/admin\u001b[2K\r';
  const lines = written(`log.warn({ path: ${JSON.stringify(forged)} }, ${JSON.stringify(forged)});`);
  expect(lines).toEqual([expect.objectContaining({ level: 40, path: forged, msg: forged })]);
});

it("says when, as people read a time", () => {
  const [line] = written(`log.warn({}, "late");`);
  expect(line!["time"]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});

it("has no password, key or token, in an object one level down neither", () => {
  const names = ["password", "authorization", "apikey", "refresh_token", "access_token", "client_secret"];
  const secrets = Object.fromEntries(names.map((name) => [name, "swangas and vogues"]));
  const [line] = written(`
    log.info({ password: "swangas and vogues", authorization: "swangas and vogues", body: ${JSON.stringify(secrets)} }, "x");
  `);
  expect(JSON.stringify(line)).not.toContain("swangas");
  expect(line).toMatchObject({ password: "[Redacted]", body: { access_token: "[Redacted]" } });
});
