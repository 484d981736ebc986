// What a function may use of the machine, and what its callers receive when it uses more.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { FunctionsRelayError } from "@supabase/supabase-js";
import { afterEach, describe, expect, it } from "vitest";
import { openProject, type Project } from "../../../testing/functions.ts";
import { socketFolder } from "../../platform/local-socket.ts";

const TROUBLE = `
const kept = [];
Deno.serve(async (request) => {
  switch (new URL(request.url).pathname) {
    case "/trouble/loops": for (;;);
    case "/trouble/crashes": setTimeout(() => { throw new Error("outside of the handler"); }, 0); await new Promise(() => {});
    case "/trouble/exits": Deno.exit(7);
    case "/trouble/heap": for (;;) kept.push({ text: "x".repeat(100) + kept.length });
    case "/trouble/buffers": for (;;) { kept.push(new Uint8Array(8_000_000).fill(1)); await new Promise((on) => setTimeout(on, 0)); }
    case "/trouble/later": await new Promise((on) => setTimeout(on, 2_000)); return new Response("answered");
    case "/trouble/waits": await new Promise(() => {});
    case "/trouble/half": return new Response(new ReadableStream({
      start: (out) => out.enqueue(new TextEncoder().encode("half")),
      pull: () => new Promise(() => {}),
    }));
    case "/trouble/spins-later": setTimeout(() => { for (;;); }, 100); return new Response("answered");
    case "/trouble/leaves-work": EdgeRuntime.waitUntil(new Promise(() => {})); return new Response("answered");
    case "/trouble/refuses": return new Response("unread", { status: 403 });
    default: return new Response(String(kept.length));
  }
});`;

let project: Project | undefined;
afterEach(() => project?.close());

type Bounds = NonNullable<NonNullable<Parameters<typeof openProject>[1]>["bounds"]>;

async function openTrouble(
  bounds: Bounds = {},
  others: Readonly<Record<string, string>> = {},
): Promise<Project> {
  project = await openProject({ "functions/trouble/index.ts": TROUBLE, ...others }, { bounds });
  return project;
}

/** Status and code of the relay's answer, as the official client reads it. */
async function refusal({ client }: Project, name: string): Promise<[number, string]> {
  const { error, response } = await client.functions.invoke(name, { method: "GET" });
  expect(error).toBeInstanceOf(FunctionsRelayError);
  const { code } = await error.context.json();
  expect(response!.headers.get("sb-error-code")).toBe(code);
  return [response!.status, code];
}

const socketsOf = ({ directory }: Project) =>
  readdirSync(socketFolder(join(directory, "workers"))).filter((name) => name.endsWith(".sock"));

/** The process ids of its workers. */
const workersOf = ({ directory }: Project) =>
  readdirSync("/proc/self/task")
    .flatMap((thread) => readFileSync(`/proc/self/task/${thread}/children`, "utf8").split(" "))
    .filter((pid) => pid !== "" && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(directory));

const well = async (opened: Project) =>
  (await opened.client.functions.invoke("trouble", { method: "GET" })).data;

describe("a worker", () => {
  it("ends when it spins, and the next request starts another", async () => {
    const opened = await openTrouble({ cpuMs: 500 });
    expect(await refusal(opened, "trouble/loops")).toEqual([546, "WORKER_RESOURCE_LIMIT"]);
    expect(await well(opened)).toBe("0");
    expect(opened.lines).toContainEqual(
      expect.objectContaining({ level: "error", message: "worker ended: too much processor time" }),
    );
  });

  it("ends when it spins after its answer", async () => {
    const opened = await openTrouble({ cpuMs: 500 });
    await opened.ask("trouble/spins-later");
    await expect
      .poll(() => opened.lines.map(({ message }) => message))
      .toContain("worker ended: too much processor time");
  });

  it("ends when it uses too much memory, as objects or as buffers", async () => {
    const opened = await openTrouble({ memoryMb: 100, cpuMs: 120_000 });
    expect(await refusal(opened, "trouble/heap")).toEqual([546, "WORKER_RESOURCE_LIMIT"]);
    expect(await refusal(opened, "trouble/buffers")).toEqual([546, "WORKER_RESOURCE_LIMIT"]);
    expect(await well(opened)).toBe("0");
  });

  it("that crashes or exits is a relay error, and its reason is in the log", async () => {
    const opened = await openTrouble();
    expect(await refusal(opened, "trouble/crashes")).toEqual([500, "WORKER_ERROR"]);
    expect(await refusal(opened, "trouble/exits")).toEqual([500, "WORKER_ERROR"]);
    expect(await well(opened)).toBe("0");
    expect(opened.lines.some(({ message }) => message.includes("outside of the handler"))).toBe(true);
  });

  it("that dies during an answer aborts it: nobody takes half for all", async () => {
    const opened = await openTrouble();
    const answer = await opened.ask("trouble/half");
    expect(answer.status).toBe(200);
    expect(await refusal(opened, "trouble/exits")).toEqual([500, "WORKER_ERROR"]);
    await expect(answer.text()).rejects.toThrow();
  });

  it("answers the requests it received before Ctrl-C, which reaches every process of a terminal", async () => {
    const opened = await openTrouble();
    expect(await well(opened)).toBe("0");
    const asked = opened.ask("trouble/later").then((answer) => answer.text());
    const [pid, ...others] = workersOf(opened);
    expect(others).toEqual([]);
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.kill(Number(pid), signal);
    expect(await asked).toBe("answered");
  });

  it("that stays silent gets an error answer, or its answer is aborted", async () => {
    const opened = await openTrouble({ silentMs: 4_000 });
    expect(await refusal(opened, "trouble/waits")).toEqual([504, "IDLE_TIMEOUT"]);
    await expect((await opened.ask("trouble/half")).text()).rejects.toThrow();
    expect(await well(opened)).toBe("0");
  });

  it("has a limited time for a whole answer, and retires after it", async () => {
    const opened = await openTrouble({ wallMs: 3_000 });
    await expect((await opened.ask("trouble/half")).text()).rejects.toThrow();
    await expect
      .poll(() => opened.lines.filter(({ message }) => message === "worker started").length)
      .toBe(1);
    expect(await well(opened)).toBe("0");
    expect(opened.lines.filter(({ message }) => message === "worker started")).toHaveLength(2);
  });

  it("retires with background work that does not end", async () => {
    const opened = await openTrouble({ wallMs: 4_000 });
    expect(await (await opened.ask("trouble/leaves-work")).text()).toBe("answered");
    await expect.poll(() => socketsOf(opened)).toHaveLength(0);
  });

  it("may answer without reading the request's body", async () => {
    const opened = await openTrouble();
    const body = new Blob([new Uint8Array(5_000_000)]);
    for (let time = 0; time < 20; time++) {
      const answer = await opened.ask("trouble/refuses", { method: "POST", body });
      expect([answer.status, await answer.text()]).toEqual([403, "unread"]);
    }
  });

  it("ends when idle, once its background work is done", async () => {
    const work = `
      let done = () => {};
      Deno.serve((request) => {
        if (new URL(request.url).pathname === "/works/done") done();
        else EdgeRuntime.waitUntil(new Promise((end) => { done = end; }));
        return new Response("answered");
      });`;
    const opened = await openTrouble({ idleMs: 300 }, { "functions/works/index.ts": work });
    const sockets = () => socketsOf(opened);
    await opened.ask("works");
    await opened.ask("trouble");
    // Of two idle workers, the one with background work stays.
    await expect.poll(sockets).toHaveLength(1);
    expect(await (await opened.ask("works/done")).text()).toBe("answered");
    expect(opened.lines.filter(({ message }) => message === "worker started")).toHaveLength(2);
    await expect.poll(sockets).toHaveLength(0);
  });
});

describe("a start", () => {
  it("that fails is reported to the caller, and not retried at once", async () => {
    const opened = await openTrouble(
      { afterFailureMs: 600_000 },
      {
        "functions/throws/index.ts": `throw new Error("at the top");`,
        "functions/serves-nothing/index.ts": `export const nothing = 1;`,
        "functions/no-such-import/index.ts": `import "npm:no-such-package-anywhere"; Deno.serve(() => new Response());`,
      },
    );
    for (const name of ["throws", "serves-nothing", "no-such-import"]) {
      expect(await refusal(opened, name)).toEqual([503, "BOOT_ERROR"]);
      expect(await refusal(opened, name)).toEqual([503, "BOOT_ERROR"]);
    }
    const said = opened.lines.map(({ message }) => message).join("\n");
    expect(said).toContain("at the top");
    expect(said).toContain("The function serves nothing");
    expect(said).toContain("no-such-package-anywhere");
    expect(opened.lines.filter(({ message }) => message === "worker exited unexpectedly")).toHaveLength(3);
  });

  it("has a time limit too", async () => {
    project = await openProject(
      { "functions/slow/index.ts": "await new Promise((on) => setTimeout(on, 600_000));" },
      { bounds: { bootMs: 500 } },
    );
    expect(await refusal(project, "slow")).toEqual([503, "BOOT_ERROR"]);
  });

  it("reports that Deno is not installed", async () => {
    project = await openProject({ "functions/trouble/index.ts": TROUBLE }, { deno: () => undefined });
    const { response } = await project.client.functions.invoke("trouble");
    expect(response!.status).toBe(503);
    expect(await response!.json()).toEqual({
      code: "BOOT_ERROR",
      message: expect.stringContaining("development dependency `deno` is not installed"),
    });
  });
});

describe("workers", () => {
  it("are limited in number: an idle one makes room, a busy one does not", async () => {
    const other = { "functions/other/index.ts": `Deno.serve(() => new Response("other"));` };
    const opened = await openTrouble({ most: 1 }, other);
    expect(await well(opened)).toBe("0");
    expect(await (await opened.ask("other")).text()).toBe("other");
    const half = await opened.ask("trouble/half");
    const waiting = opened.ask("other");
    await half.body!.cancel();
    expect(await (await waiting).text()).toBe("other");
  });

  it("refuse the next request when all are busy, and each answers a limited number at once", async () => {
    const other = { "functions/other/index.ts": `Deno.serve(() => new Response("other"));` };
    const opened = await openTrouble({ most: 1, requests: 2, waitMs: 1_500 }, other);
    await expect.poll(async () => (await opened.ask("trouble")).status).toBe(200);
    // Kept in a variable: an unreferenced answer is cancelled by the next garbage collection.
    const halves = await Promise.all([opened.ask("trouble/half"), opened.ask("trouble/half")]);
    expect(await refusal(opened, "other")).toEqual([503, "WORKERS_BUSY"]);
    expect(await refusal(opened, "trouble")).toEqual([503, "WORKERS_BUSY"]);
    await Promise.all(halves.map(({ body }) => body!.cancel()));
    await expect.poll(() => well(opened)).toBe("0");
  });

  it("answer a limited number of one address's requests at once", async () => {
    const opened = await openTrouble({ requestsOfAddress: 2 });
    const [first, second] = await Promise.all([opened.ask("trouble/half"), opened.ask("trouble/half")]);
    const { response } = await opened.client.functions.invoke("trouble");
    expect([response!.status, response!.headers.get("retry-after")]).toEqual([429, "1"]);
    await first.body!.cancel();
    await expect.poll(() => well(opened)).toBe("0");
    await second.body!.cancel();
  });

  it("forget clients that have left, and are not blamed for it", async () => {
    const opened = await openTrouble({ requestsOfAddress: 1 });
    const gone = new AbortController();
    const left = opened.ask("trouble/waits", { signal: gone.signal });
    await expect.poll(() => opened.lines.map(({ message }) => message)).toContain("worker started");
    gone.abort();
    await expect(left).rejects.toThrow();
    await expect.poll(() => well(opened)).toBe("0");
    expect(opened.lines.filter(({ level }) => level === "error")).toEqual([]);
  });
});
