import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { SECRET_KEY, useSandbox } from "../../sandbox/testing/sandbox.ts";
import { openSmtpSink } from "../../server/testing/smtp-sink.ts";
import { type S3Double, startS3 } from "../../server/testing/storage/s3-double.ts";
import { parseConfig } from "../../shop/src/config.ts";
import { tryServices } from "./services.ts";

const { running } = await useSandbox();
let folder: string;
let s3: S3Double;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "doctor-"));
  s3 = await startS3(folder);
});
afterAll(async () => {
  await s3?.close();
  rmSync(folder, { recursive: true, force: true });
});

const bucket = (changes: Record<string, string> = {}) => ({
  S3_ENDPOINT: s3.settings.endpoint,
  ...{ S3_BUCKET: "festival", S3_KEY: "S3RVER", S3_SECRET: "S3RVER" },
  ...changes,
});
const keys = (secret: string) => ({
  ...{ STRIPE_SECRET_KEY: secret, STRIPE_PUBLISHABLE_KEY: "pk_test_sandbox_1" },
  STRIPE_WEBHOOK_SECRET: "whsec_test",
});
const faultsOf = async (variables: Record<string, string>, stripeUrl = running.origin) =>
  (await tryServices(parseConfig(variables), stripeUrl)).faults;

/** A port on which nobody listens any more. */
async function closedPort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

/** A mail server with one account. */
async function mailServer(): Promise<string> {
  const sink = await openSmtpSink({ password: "right" });
  onTestFinished(() => sink.close());
  return new URL(sink.url).host;
}

it("finds no fault with services that answer, and sends no mail", async () => {
  const sink = await openSmtpSink({});
  onTestFinished(() => sink.close());
  const tried = await tryServices(
    parseConfig({ SMTP_URL: sink.url, ...keys(SECRET_KEY), ...bucket() }),
    running.origin,
  );
  expect(tried.faults).toEqual([]);
  expect(Math.abs(tried.clockOffMs!)).toBeLessThan(5000);
  expect(sink.recipients).toEqual([]);
  const host = await mailServer();
  expect(await faultsOf({ SMTP_URL: `smtp://shop:right@${host}` })).toEqual([]);
  expect(await faultsOf({})).toEqual([]);
});

it("tells settings that are refused", async () => {
  const host = await mailServer();
  const refusals = await faultsOf({
    SMTP_URL: `smtp://shop:wrong@${host}`,
    ...keys("sk_test_another"),
    ...bucket({ S3_KEY: "another" }),
  });
  expect(refusals).toEqual([
    { service: "The mail server", isRefusal: true, said: expect.stringContaining("535") },
    { service: "Stripe", isRefusal: true, said: expect.stringContaining("401") },
    { service: "The bucket's service", isRefusal: true, said: expect.stringContaining("403") },
  ]);
  expect(await faultsOf(bucket({ S3_BUCKET: "nowhere" }))).toEqual([
    { service: "The bucket's service", isRefusal: true, said: expect.stringContaining("NoSuchBucket") },
  ]);
  // TLS from the first byte, to a server that starts without it.
  expect(await faultsOf({ SMTP_URL: `smtps://shop:right@${host}` })).toEqual([
    expect.objectContaining({ isRefusal: true }),
  ]);
});

it("tells services that do not answer", async () => {
  const port = await closedPort();
  const silent = await faultsOf(
    {
      SMTP_URL: `smtp://127.0.0.1:${port}`,
      ...keys(SECRET_KEY),
      ...bucket({ S3_ENDPOINT: `http://127.0.0.1:${port}` }),
    },
    `http://127.0.0.1:${port}`,
  );
  expect(silent).toEqual(
    ["The mail server", "Stripe", "The bucket's service"].map((service) => ({
      service,
      isRefusal: false,
      said: expect.stringContaining("ECONNREFUSED"),
    })),
  );
});

it("does not blame the settings for a provider that is down, and reads its clock", async () => {
  const server = createServer((_, response) =>
    response.writeHead(503, { date: new Date(Date.now() + 3_600_000).toUTCString() }).end(),
  );
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const tried = await tryServices(parseConfig(keys(SECRET_KEY)), `http://127.0.0.1:${port}`);
  expect(tried.faults).toEqual([{ service: "Stripe", isRefusal: false, said: "503" }]);
  expect(Math.round(tried.clockOffMs! / 3_600_000)).toBe(1);
});
