import { beforeEach, describe, expect, it } from "vitest";
import { openShop } from "../../../shop/testing/open-shop.ts";

const { world } = await openShop();

const vendor = {
  businessName: "Smoke & Mirrors",
  contactName: "Paul Wall",
  email: "paul@vendors.test",
  phone: "7135550100",
  vendorType: "food",
  description: "Brisket <by> the pound",
  products: "Brisket, ribs",
  agreeTerms: true,
};
const sponsor = {
  companyName: "Swanga Works",
  contactName: "Slim Thug",
  email: "slim@sponsors.test",
  phone: "7135550101",
  sponsorshipLevel: "",
  message: "",
};

const rows = (table: string) => world.sql(`select * from public.${table}`);

describe("submit-vendor-application", () => {
  it("stores the application for review and thanks the sender", async () => {
    expect(await world.call("submit-vendor-application", { body: vendor, ip: "192.0.2.10" })).toEqual({
      status: 200,
      body: { success: true },
    });
    expect(await rows("vendor_applications")).toMatchObject([
      {
        booth_name: vendor.businessName,
        contact_name: vendor.contactName,
        contact_email: vendor.email,
        contact_phone: vendor.phone,
        vendor_type: "food",
        description: vendor.description,
        products: vendor.products,
        description_of_goods: expect.stringContaining(vendor.products),
        status: "pending_review",
      },
    ]);
    await world.call("drain-outbox", { as: "service" });
    const [mail, ...others] = world.mails.splice(0);
    expect(others).toEqual([]);
    expect(mail).toMatchObject({ to: vendor.email });
    expect(mail!.html).toContain("your vendor application has arrived");
  });

  it("mails a decision once it can no longer be undone", async () => {
    await world.sql("update public.vendor_applications set status = 'approved'");
    await world.call("drain-outbox", { as: "service" });
    expect(world.mails.splice(0)).toEqual([]);
    await world.sql("update public.outbox set next_attempt_at = now() where kind = 'vendor_decision_mail'");
    await world.call("drain-outbox", { as: "service" });
    expect(world.mails.splice(0).at(-1)).toMatchObject({
      to: vendor.email,
      subject: expect.stringContaining("approved"),
    });
  });

  describe("a decision that changes while mails wait for another attempt", () => {
    let hosts = 60;
    /** An application from this address, and the mails about it. */
    const applied = async (to: string) => {
      const ip = `192.0.2.${hosts++}`;
      await world.call("submit-vendor-application", { body: { ...vendor, email: to }, ip });
      const waiting = `kind = 'vendor_decision_mail' and done_at is null and payload ->> 'application_id' in
        (select id::text from public.vendor_applications where contact_email = $1)`;
      const sent = async () => {
        await world.call("drain-outbox", { as: "service" });
        return world.mails.splice(0).flatMap((mail) => (mail.to === to ? [mail.subject] : []));
      };
      await sent();
      return {
        sent,
        decide: (status: string) =>
          world.sql("update public.vendor_applications set status = $2 where contact_email = $1", to, status),
        /** Due now, after so many failed attempts. */
        due: (attempts: number) =>
          world.sql(
            `update public.outbox set next_attempt_at = now(), attempts = $2 where ${waiting}`,
            to,
            attempts,
          ),
        /** The mail server is down for the newest decision's mail, which is not due before some minutes. */
        fail: () =>
          world.sql(
            `update public.outbox set next_attempt_at = now() + interval '5 minutes', attempts = 7
              where attempts = 0 and ${waiting}`,
            to,
          ),
        statuses: () =>
          world.sql(
            `select payload ->> 'status' as status, next_attempt_at > now() + interval '4 minutes' as later
              from public.outbox where ${waiting} order by id`,
            to,
          ),
        /** The attempt under way succeeds. */
        arrive: () =>
          world.sql(`update public.outbox set done_at = now() where attempts > 0 and ${waiting}`, to),
      };
    };
    const APPROVAL = expect.stringContaining("was approved");

    it("is never mailed, and is mailed when it is made again", async () => {
      const { decide, due, sent, statuses } = await applied("twice@vendors.test");
      await decide("approved");
      await due(1);
      await decide("rejected");
      await due(1);
      expect(await sent(), "one rejection, by one of two entries").toEqual(["About your vendor application"]);
      await decide("approved");
      await due(1);
      await decide("under_review");
      expect(await sent(), "taken back").toEqual([]);
      expect(await statuses(), "nothing counts as sent that was not").toEqual([]);
      await decide("approved");
      await due(0);
      expect(await sent()).toEqual([APPROVAL]);
    });

    it("is mailed once when it returns before the mails about both were sent", async () => {
      const { decide, due, fail, sent } = await applied("once@vendors.test");
      await decide("approved");
      await fail();
      await decide("rejected");
      await fail();
      await decide("approved");
      await due(1);
      expect(await sent()).toEqual([APPROVAL]);
    });

    it("is not mailed again when the mail about another decision never went out", async () => {
      const { decide, due, fail, sent, statuses } = await applied("same@vendors.test");
      await decide("approved");
      await due(0);
      expect(await sent()).toEqual([APPROVAL]);
      await decide("rejected");
      await fail();
      await decide("approved");
      expect(await statuses(), "the rejection may be under way").toMatchObject([
        { status: "rejected" },
        { status: "approved", later: true },
      ]);
      await due(1);
      expect(await sent()).toEqual([]);
      expect(await statuses()).toEqual([]);
    });

    it("is mailed again when the mail about another decision was under way", async () => {
      const { arrive, decide, due, fail, sent } = await applied("thrice@vendors.test");
      await decide("approved");
      await due(0);
      await sent();
      await decide("rejected");
      await fail();
      await decide("approved");
      await arrive();
      await due(0);
      expect(await sent()).toEqual([APPROVAL]);
    });
  });

  it("names every missing field and stores nothing", async () => {
    const before = await rows("vendor_applications");
    const { status, body } = await world.call("submit-vendor-application", {
      body: { ...vendor, email: "nowhere", vendorType: "weapons", agreeTerms: false },
      ip: "192.0.2.11",
    });
    expect(status).toBe(400);
    expect(body.error.details.issues.map((issue: { path: string }) => issue.path)).toEqual([
      "email",
      "vendorType",
      "agreeTerms",
    ]);
    expect(await rows("vendor_applications")).toEqual(before);
  });

  it("reads JSON only from text types, since the gateway does not measure the depth of other bodies", async () => {
    const send = (type: string) =>
      world.call("submit-vendor-application", {
        body: { ...vendor, agreeTerms: false },
        headers: { "content-type": type },
        ip: "192.0.2.15",
      });
    for (const type of ["application/octet-stream", "image/png", "multipart/form-data; boundary=x"]) {
      const { status, body } = await send(type);
      expect([status, body.error.message]).toEqual([400, "The request's body is not valid JSON."]);
    }
    for (const type of ["application/json; charset=utf-8", "text/plain", "application/vnd.api+json"])
      expect((await send(type)).body.error.details.issues).toHaveLength(1);
  });

  it("stores nothing from a bot that fills in the hidden field, and answers as if it had", async () => {
    const before = await rows("vendor_applications");
    const answer = await world.call("submit-vendor-application", {
      body: { ...vendor, website: "https://spam.test" },
      ip: "192.0.2.12",
    });
    expect(answer).toEqual({ status: 200, body: { success: true } });
    expect(await rows("vendor_applications")).toEqual(before);
  });

  it("refuses an address that sends too much, and no other", async () => {
    const send = (ip: string) => world.call("submit-vendor-application", { body: vendor, ip });
    const answers = [];
    for (let count = 0; count < 6; count++) answers.push(await send("192.0.2.13"));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429]);
    expect(answers.at(-1)!.body.error.code).toBe("rate_limited");
    expect(await send("192.0.2.14")).toMatchObject({ status: 200 });
  });
});

describe("submit-sponsor-inquiry", () => {
  it("stores the inquiry, with null for empty fields, and thanks the sender", async () => {
    await world.call("drain-outbox", { as: "service" });
    world.mails.length = 0;
    expect(await world.call("submit-sponsor-inquiry", { body: sponsor, ip: "192.0.2.20" })).toMatchObject({
      status: 200,
    });
    expect(await rows("sponsor_inquiries")).toMatchObject([
      { company_name: sponsor.companyName, email: sponsor.email, sponsorship_level: null, message: null },
    ]);
    await world.call("drain-outbox", { as: "service" });
    expect(world.mails).toMatchObject([{ to: sponsor.email }]);
  });
});

describe("the request handling", () => {
  it("answers in the relay's words for an unknown function, and in its own for the wrong method", async () => {
    expect(await world.call("no-such-function")).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
    expect(await world.call("toString")).toMatchObject({ status: 404 });
    expect(await world.call("process-payment", { method: "GET" })).toMatchObject({
      status: 405,
      body: { error: { code: "method_not_allowed" } },
    });
  });
});

it.each(["a visitor", "somebody signed in"])(
  "waiting forms of %s leave the connections of confirmations and jobs free",
  async (who) => {
    const as = who === "a visitor" ? {} : { as: await world.newUser() };
    const network = who === "a visitor" ? "198.51.100" : "203.0.113";
    const waiting = () =>
      world.sql(
        // Each test's database is a clone: the table has the same oid in all of them.
        `select from pg_locks join pg_database d on d.oid = database
        where datname = current_database() and relation = 'public.vendor_applications'::regclass and not granted`,
      );
    const forms = await world.db.database.asService("tests hold the forms up").transaction(async (tx) => {
      await tx.query("lock table public.vendor_applications in access exclusive mode");
      const sent = Array.from({ length: 6 }, (_, n) =>
        world.call("submit-vendor-application", { ...as, body: vendor, ip: `${network}.${n + 1}` }),
      );
      // All six: four would be enough to take every kept connection.
      await expect.poll(waiting).toHaveLength(6);
      expect((await world.call("expire-holds", { as: "service" })).status).toBe(200);
      return sent;
    });
    expect((await Promise.all(forms)).map(({ status }) => status)).toEqual(forms.map(() => 200));
  },
);

describe("a vendor's pictures", () => {
  const pictures = world.storage.from("vendor-pictures");
  const bytes = Buffer.from("RIFF....WEBP");
  const attach = async (ip: string, content: Buffer = bytes) => {
    const { body } = await world.call("vendor-picture", { body: {}, ip });
    const { path, token } = body as { path: string; token: string };
    const sent = await pictures.uploadToSignedUrl(path, token, content, { contentType: "image/webp" });
    expect(sent.error).toBeNull();
    return path;
  };
  const apply = (named: object[], ip: string) =>
    world.call("submit-vendor-application", {
      body: { ...vendor, email: "pictured@vendors.test", pictures: named },
      ip,
    });

  it("are named by the application that they belong to, and are kept", async () => {
    const [first, second] = [await attach("192.0.2.50"), await attach("192.0.2.50")];
    const abandoned = await attach("192.0.2.50");
    const named = [first, second].map((path) => ({ path, name: "booth.jpg" }));
    expect((await apply(named, "192.0.2.50")).status).toBe(200);
    const [row] = await world.sql(
      "select pictures from public.vendor_applications where contact_email = 'pictured@vendors.test'",
    );
    expect(row).toEqual({ pictures: [first, second] });

    await world.call("clean-up", { as: "service" });
    expect((await pictures.info(abandoned)).error).toBeNull();
    await world.sql(
      "update storage.objects set created_at = now() - interval '7 hours' where bucket_id = 'vendor-pictures'",
    );
    await world.call("clean-up", { as: "service" });
    expect((await pictures.info(abandoned)).error).not.toBeNull();
    expect((await pictures.info(first)).error).toBeNull();
  });

  it("without an application are kept while the storage cannot be read, and expired rows are still removed", async () => {
    await world.sql(
      "insert into public.rate_limits (key, hits, updated_at) values ('expired', '{}', now() - interval '2 days')",
    );
    await world.sql("alter function public.abandoned_vendor_pictures(integer) rename to away");
    expect((await world.call("clean-up", { as: "service" })).status).toBe(500);
    await world.sql("alter function public.away(integer) rename to abandoned_vendor_pictures");
    expect(await world.sql("select from public.rate_limits where key = 'expired'")).toEqual([]);
  });

  it("are limited per day, and the refusal says so", async () => {
    await world.sql(
      `insert into public.rate_limits (key, hits)
       select 'vendor-pictures-of-a-day:192.0.2.60', array_fill(now() - interval '1 hour', array[60])`,
    );
    expect(await world.call("vendor-picture", { body: {}, ip: "192.0.2.60" })).toMatchObject({
      status: 429,
      body: { error: { message: "Too many pictures from your network. Please try again tomorrow." } },
    });
  });

  it.each([
    ["an HTML page", "<script>alert(1)</script>"],
    ["a sound file", "RIFF....WAVEfmt "],
    ["an empty file", ""],
  ])("are refused when one of them is %s", async (_, content) => {
    const before = await rows("vendor_applications");
    const named = [await attach("192.0.2.53"), await attach("192.0.2.53", Buffer.from(content))];
    const answer = await apply(
      named.map((path) => ({ path, name: "booth.jpg" })),
      "192.0.2.53",
    );
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { code: "invalid_request", message: expect.stringContaining("not a picture") } },
    });
    expect(await rows("vendor_applications")).toEqual(before);
  });

  it("are accepted as JPEG", async () => {
    const path = await attach("192.0.2.54", Buffer.from([0xff, 0xd8, 0xff, 0xe0]));
    expect((await apply([{ path, name: "booth.jpg" }], "192.0.2.54")).status).toBe(200);
  });

  it("are refused when they have not arrived, are too many, or name something else", async () => {
    const missing = { path: "00000000-0000-4000-8000-000000000000", name: "x" };
    expect(await apply([missing], "192.0.2.51")).toMatchObject({
      status: 400,
      body: { error: { code: "invalid_request", message: expect.stringContaining("has not arrived") } },
    });
    expect(
      (
        await apply(
          Array.from({ length: 6 }, () => missing),
          "192.0.2.51",
        )
      ).status,
    ).toBe(400);
    expect((await apply([{ path: "../festival-pictures/x", name: "x" }], "192.0.2.51")).status).toBe(400);
  });

  it("are limited to twenty at a time from one network, whatever they claim to be", async () => {
    const ask = () => world.call("vendor-picture", { body: {}, ip: "192.0.2.52" });
    const { body } = await ask();
    const { path, token } = body as { path: string; token: string };
    const lie = await pictures.uploadToSignedUrl(path, token, bytes, { contentType: "text/html" });
    expect(lie.error).toMatchObject({ message: "mime type text/html is not supported" });
    const large = await pictures.uploadToSignedUrl(path, token, Buffer.alloc(3_000_000), {
      contentType: "image/webp",
    });
    expect(large.error).toMatchObject({ statusCode: "413" });
    const rest = await Promise.all(Array.from({ length: 20 }, ask));
    expect(rest.filter(({ status }) => status === 429)).toHaveLength(1);
  });
});

describe("the thanks", () => {
  beforeEach(async () => {
    await world.call("drain-outbox", { as: "service" });
    world.mails.length = 0;
  });

  it("repeat nothing that was typed, and neither does a refusal", async () => {
    const lure = "https://evil.example/pay";
    const to = "stranger@people.test";
    const typed = { email: to, contactName: "Pay again: evil.example" };
    await world.call("submit-vendor-application", {
      body: { ...vendor, ...typed, businessName: lure },
      ip: "192.0.2.16",
    });
    await world.call("submit-sponsor-inquiry", {
      body: { ...sponsor, ...typed, companyName: lure },
      ip: "192.0.2.16",
    });
    await world.sql(
      `update public.vendor_applications set status = 'rejected', submission_date = '2025-06-01 23:00-05'
        where contact_email = $1`,
      to,
    );
    await world.sql("update public.outbox set next_attempt_at = now() where kind = 'vendor_decision_mail'");
    await world.call("drain-outbox", { as: "service" });
    const mails = world.mails.splice(0).filter((mail) => mail.to === to);
    expect(mails).toHaveLength(3);
    for (const { subject, text, html } of mails)
      expect(`${subject} ${text} ${html}`).not.toContain("evil.example");
    const refusal = mails.find(({ subject }) => subject === "About your vendor application")!;
    expect(refusal.text).toContain("the application sent on June 1, 2025");
    expect(refusal.text, "a reason that nobody gave").not.toContain("more applications than places");
  });

  it("reach an address three times in 24 hours, whatever the form, and every form is stored", async () => {
    let nextHost = 100;
    const send = (form: string, body: object, email: string) =>
      world.call(form, { body: { ...body, email }, ip: `192.0.2.${nextHost++}` });
    for (const email of ["often@people.test", "Often@people.test"]) {
      expect((await send("submit-vendor-application", vendor, email)).status).toBe(200);
      expect((await send("submit-sponsor-inquiry", sponsor, email)).status).toBe(200);
    }
    await send("submit-sponsor-inquiry", sponsor, "seldom@people.test");
    await world.call("drain-outbox", { as: "service" });
    const thanked = world.mails.splice(0).map(({ to }) => to.toLowerCase());
    expect(thanked.sort()).toEqual([...Array<string>(3).fill("often@people.test"), "seldom@people.test"]);
    expect(
      await world.sql("select from public.sponsor_inquiries where lower(email) = 'often@people.test'"),
    ).toHaveLength(2);
  });
});

it("refuses a line break in a field of one line, and keeps those of a longer text", async () => {
  const send = (fields: object) =>
    world.call("submit-vendor-application", { body: { ...vendor, ...fields }, ip: "192.0.2.17" });
  const { status, body } = await send({
    ...{ contactName: "dear buyer,\nPay again", businessName: "Smoke\u2028Mirrors" },
    phone: "713-555-0100\nPay",
  });
  expect(status).toBe(400);
  expect(body.error.details.issues.map((issue: { path: string }) => issue.path)).toEqual([
    "businessName",
    "contactName",
    "phone",
  ]);
  expect(await send({ description: "Brisket\nand ribs" })).toMatchObject({ status: 200 });
});
