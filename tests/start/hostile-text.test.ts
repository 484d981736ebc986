// Text that no database stores, at every endpoint and in every place: the response blames the caller, never the
// server.
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Festival, removeFolder, startFestival } from "../support/server/festival.ts";
import { preparedFolder } from "../support/server/prepared-data.ts";

let festival: Festival;
beforeAll(async () => {
  festival = await startFestival({ dataDir: preparedFolder() });
});
afterAll(async () => {
  await festival?.stop();
  if (festival) removeFolder(festival.dataDir);
});

/** As written in JSON: a NUL, each half of a surrogate pair, and a valid one. */
const TEXTS = ["\\u0000", "\\ud800", "\\udc00", "\\ud83c\\udfb5"];

const BODIES: ((text: string) => string)[] = [
  (t) => `{"email":"a@people.test","password":"purple slab cruise","data":{"name":"${t}","${t}":1}}`,
  (t) =>
    `{"email":"${t}@people.test","password":"${t}","refresh_token":"${t}","token_hash":"${t}","type":"email"}`,
  (t) =>
    `{"items":[{"id":"${t}","name":"${t}","price":45,"quantity":1,"type":"ticket"}],"totalAmount":45,
      "attendees":[{"name":"${t}","email":"a@people.test"}],"buyerInfo":{"name":"${t}","email":"a@people.test","phone":"${t}"}}`,
  (t) =>
    `{"businessName":"${t}","contactName":"${t}","companyName":"${t}","email":"a@people.test","phone":"713-555-0100",
      "vendorType":"food","description":"${t}","products":"${t}","message":"${t}","agreeTerms":true,"visitor":"${t}","place":"${t}"}`,
  (t) => `{"messages":[{"topic":"${t}","event":"${t}","payload":{"a":"${t}"},"private":true}]}`,
  (t) =>
    `{"prefix":"${t}","search":"${t}","bucketId":"${t}","sourceKey":"${t}","destinationKey":"${t}","name":"${t}"}`,
  (t) => `"${t}"`,
];
const FORM = "amount=%00&currency=usd&client_secret=%00&metadata[%00]=%00";

const POSTS = [
  ...[
    "signup",
    "token?grant_type=password",
    "token?grant_type=refresh_token",
    "recover",
    "otp",
    "verify",
    "resend",
  ].map((path) => `/auth/v1/${path}`),
  ...[
    "create-payment-intent",
    "quote-promo-code",
    "process-payment",
    "verify-payment",
    "waiting-room",
    "submit-vendor-application",
  ].map((path) => `/functions/v1/${path}`),
  ...["submit-sponsor-inquiry", "generate-qr-code", "stripe-webhook"].map((path) => `/functions/v1/${path}`),
  ...["bucket", "object/list/a", "object/move", "object/copy", "object/sign/a/b", "object/a/b"].map(
    (path) => `/storage/v1/${path}`,
  ),
  ...[
    "/realtime/v1/api/broadcast",
    "/v1/payment_intents",
    "/v1/payment_intents/x/confirm",
    "/mailbox/delete",
  ],
  ...["/rest/v1/site_visits", "/rest/v1/vendor_applications", "/rest/v1/orders"],
];

const PATHS = [
  ...[
    "/auth/v1/verify?token=X&type=X",
    "/storage/v1/object/public/X/X",
    "/storage/v1/object/sign/X/X?token=X",
  ],
  ...[
    "/functions/v1/X?X=X",
    "/realtime/v1/X",
    "/v1/payment_intents/X?client_secret=X",
    "/payments-sandbox/X",
  ],
  ...["/mailbox/X", "/rest/v1/X?X=eq.X", "/rest/v1/rpc/X", "/X?X", "/assets/X"],
];

it("in a body", async () => {
  const jsons = TEXTS.flatMap((text) =>
    BODIES.map((body) => ({ type: "application/json", body: body(text) })),
  );
  const bodies = [...jsons, { type: "application/x-www-form-urlencoded", body: FORM }];
  const asked = POSTS.flatMap((path) => bodies.map((one) => ({ path, ...one })));
  const faults: string[] = [];
  for (const { path, type, body } of asked) {
    const status = await statusOf(path, { method: "POST", body, headers: { "content-type": type } });
    if (status >= 500) faults.push(`${status} ${path} ${body}`);
  }
  expect(faults).toEqual([]);
});

it("in an address", async () => {
  const faults: string[] = [];
  for (const path of PATHS) {
    for (const text of ["%00", "%ED%A0%80", "%FF", "%", "%25%30%30", "%EF%BF%BF", "%F0%9F%8E%B5"]) {
      for (const method of ["GET", "POST", "DELETE"]) {
        const status = await statusOf(path.replaceAll("X", text), { method });
        if (status >= 500) faults.push(`${status} ${method} ${path} ${text}`);
      }
    }
  }
  expect(faults).toEqual([]);
});

async function statusOf(path: string, init: RequestInit): Promise<number> {
  const key = festival.status.ANON_KEY!;
  const headers = { apikey: key, authorization: `Bearer ${key}`, ...init.headers };
  const answer = await fetch(festival.url + path, { ...init, headers, redirect: "manual" });
  await answer.arrayBuffer();
  return answer.status;
}
