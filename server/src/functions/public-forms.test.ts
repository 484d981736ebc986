import { describe, expect, it } from "vitest";
import { openShop } from "../../testing/shop/open-shop.ts";

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
    expect(mail!.html).toContain("Smoke &amp; Mirrors");
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

  it("names every field that is missing and stores nothing", async () => {
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

describe("the frame", () => {
  it("answers in one shape for what does not exist and for the wrong method", async () => {
    expect(await world.call("no-such-function")).toMatchObject({
      status: 404,
      body: { error: { code: "not_found" } },
    });
    expect(await world.call("toString")).toMatchObject({ status: 404 });
    expect(await world.call("process-payment", { method: "GET" })).toMatchObject({
      status: 405,
      body: { error: { code: "method_not_allowed" } },
    });
  });
});

it("forms that wait leave the connections of confirmations and jobs free", async () => {
  const waiting = () =>
    world.sql("select from pg_locks where relation = 'public.vendor_applications'::regclass and not granted");
  const forms = await world.db.database.asService("tests hold the forms up").transaction(async (tx) => {
    await tx.query("lock table public.vendor_applications in access exclusive mode");
    const sent = Array.from({ length: 6 }, (_, n) =>
      world.call("submit-vendor-application", { body: vendor, ip: `198.51.100.${n + 1}` }),
    );
    // All six: four would take every kept connection.
    await expect.poll(waiting).toHaveLength(6);
    expect((await world.call("expire-holds", { as: "service" })).status).toBe(200);
    return sent;
  });
  expect((await Promise.all(forms)).map(({ status }) => status)).toEqual(forms.map(() => 200));
});
