// Bodies that are larger, deeper or more divided than anything that reads them expects.
import { request } from "node:http";
import { addressOf, asService, ask, type Attack, type Target } from "./attack.ts";

const BRACKETS_OF_A_VISITOR = "[".repeat(64 * 1024 - 1);
/** Any more would be refused unread. */
const BRACKETS_OF_AN_ACCOUNT = "[".repeat(1024 * 1024 - 1);

/** A bucket without a limit of its own, so that only the form's shape can be refused. */
const BUCKET = "attacked";
const BOMBERS = 8;
const EMPTY_PARTS = 1_000_000;
const BOMB = Buffer.from(`${"--b\r\n\r\n\r\n".repeat(EMPTY_PARTS)}--b--\r\n`);
let signedAddresses: readonly string[] = [];

async function signAddresses(target: Target): Promise<void> {
  await asService(target, "POST", "/storage/v1/bucket", { id: BUCKET, name: BUCKET, public: false });
  signedAddresses = await Promise.all(
    Array.from({ length: BOMBERS }, async (_, n) => {
      const { url } = (await asService(
        target,
        "POST",
        `/storage/v1/object/upload/sign/${BUCKET}/bomb-${n}`,
      )) as { url: string };
      return `/storage/v1${url}`;
    }),
  );
}

async function noBombStored({ database }: Target): Promise<readonly string[]> {
  const { rows } = await database.query("select name from storage.objects where bucket_id = $1", [BUCKET]);
  return rows.map(({ name }) => `${name} was stored`);
}

export const BODIES: readonly Attack[] = [
  {
    name: "chunked uploads",
    attackers: 16,
    must: [/^400$/],
    act: ({ festival }, n) => sendInChunks(festival, n, "/storage/v1/object/vendor-pictures/flood.bin", 45),
  },
  {
    name: "nested bodies",
    attackers: 64,
    must: [/^400 too_deep$/],
    act: (target, n) =>
      ask(target, n, n % 2 ? "/auth/v1/token?grant_type=password" : "/rest/v1/rpc/record_visits", {
        body: BRACKETS_OF_A_VISITOR,
      }),
  },
  {
    name: "nested bodies at an encoded path",
    attackers: 32,
    must: [/^400 too_deep$/],
    act: (target, n) =>
      ask(target, n, "/storage/v1/object/%6cist/vendor-pictures", {
        body: BRACKETS_OF_AN_ACCOUNT,
        token: target.attackers[n % target.attackers.length]!.token,
      }),
  },
  {
    name: "a million empty parts",
    attackers: BOMBERS,
    must: [/^400 InvalidRequest$/],
    prepare: signAddresses,
    act: (target, n) =>
      ask(target, n, signedAddresses[n]!, {
        method: "PUT",
        body: BOMB,
        headers: { "content-type": "multipart/form-data; boundary=b" },
      }),
    check: noBombStored,
  },
];

/** Without a key and without a length. Returns the answer's status, or "cut off". */
function sendInChunks(
  { url, status: { ANON_KEY } }: Target["festival"],
  n: number,
  path: string,
  megabytes: number,
): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((done) => {
    let status = "cut off";
    const headers = {
      "transfer-encoding": "chunked",
      "x-forwarded-for": addressOf(n),
      authorization: `Bearer ${ANON_KEY}`,
    };
    const call = request({ hostname, port, path, method: "POST", headers });
    const chunk = Buffer.alloc(1024 * 1024);
    let sent = 0;
    const send = () => {
      if (sent++ === megabytes) call.end();
      else if (call.write(chunk)) setImmediate(send);
      else call.once("drain", send);
    };
    call.on("response", (answer) => {
      status = String(answer.statusCode);
      answer.resume();
    });
    call.on("error", () => {}).on("close", () => done(status));
    send();
  });
}
