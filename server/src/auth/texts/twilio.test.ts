import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { PASSWORD, startAuth } from "../../../testing/auth.ts";
import { createTwilio } from "./twilio.ts";

const account = {
  SMS_TWILIO_ACCOUNT_SID: "AC0123",
  SMS_TWILIO_AUTH_TOKEN: "the token",
  SMS_TWILIO_MESSAGE_SERVICE_SID: "MG0123",
  SMS_TWILIO_CONTENT_SID: "HX0123",
};
let server: Server | undefined;
afterEach(() => server?.close());

/** The requests received, and a sender that makes them. */
async function twilio(status: number, answer: object) {
  const asked: { request?: IncomingMessage; form?: Record<string, string> } = {};
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      asked.request = request;
      asked.form = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((ready) => server!.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as AddressInfo;
  return { asked, send: createTwilio(account, `http://127.0.0.1:${port}`) };
}

it("posts the message in Twilio's format", async () => {
  const { asked, send } = await twilio(201, { sid: "SM1", status: "queued" });
  await send("17135550100", "Your code is 012345");
  expect([asked.request?.method, asked.request?.url]).toEqual([
    "POST",
    "/2010-04-01/Accounts/AC0123/Messages.json",
  ]);
  expect(asked.request?.headers).toMatchObject({
    authorization: `Basic ${Buffer.from("AC0123:the token").toString("base64")}`,
    "content-type": "application/x-www-form-urlencoded;charset=UTF-8",
  });
  expect(asked.form).toEqual({
    To: "+17135550100",
    Channel: "sms",
    From: "MG0123",
    Body: "Your code is 012345",
  });
});

it("sends over WhatsApp by the approved template", async () => {
  const { asked, send } = await twilio(201, { sid: "SM1", status: "queued" });
  await send("17135550100", "Your code is 012345", { channel: "whatsapp", code: "012345" });
  expect(asked.form).toEqual({
    To: "whatsapp:+17135550100",
    Channel: "whatsapp",
    From: "MG0123",
    ContentSid: "HX0123",
    ContentVariables: '{"1":"012345"}',
  });
});

it.each([
  [400, { code: 21211, message: "The 'To' number is not valid" }, "Twilio: The 'To' number is not valid"],
  [
    201,
    { status: "failed", error_code: 30008, error_message: "Unknown error" },
    "Twilio: Unknown error (30008)",
  ],
  [503, {}, "Twilio: answered 503"],
])("rejects what Twilio did not accept (%i)", async (status, answer, message) => {
  const { send } = await twilio(status, answer);
  await expect(send("17135550100", "x")).rejects.toThrow(message);
});

it("carries the code of a second step, and fails the challenge when the text is not accepted", async () => {
  const { asked, send } = await twilio(201, { sid: "SM1", status: "queued" });
  const environment = { GOTRUE_MFA_PHONE_ENROLL_ENABLED: "true", GOTRUE_MFA_PHONE_VERIFY_ENABLED: "true" };
  let carries = send;
  const auth = await startAuth({}, { environment, sendSms: (...message) => carries(...message) });
  try {
    await auth.signedUp("second-step@example.com");
    const client = auth.client();
    await client.auth.signInWithPassword({ email: "second-step@example.com", password: PASSWORD });
    const { mfa } = client.auth;
    const factorId = (await mfa.enroll({ factorType: "phone", phone: "+1 713 555 0101" })).data!.id;
    const challenge = await mfa.challenge({ factorId });
    expect(asked.form).toMatchObject({ To: "+17135550101", From: "MG0123" });
    const code = /code is (\d{6})/.exec(asked.form!["Body"]!)![1]!;
    carries = async () => {
      throw new Error("no carrier");
    };
    auth.advance(61);
    expect((await mfa.challenge({ factorId })).error).toMatchObject({
      status: 500,
      message: "error sending message",
    });
    expect((await mfa.verify({ factorId, challengeId: challenge.data!.id, code })).error).toBeNull();
  } finally {
    await auth.close();
  }
});
