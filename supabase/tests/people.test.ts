// Names, addresses and telephone numbers: the contract's schemas, auth and SQL accept the same.
import {
  attendeeSchema,
  signUpSchema,
  sponsorInquirySchema,
  vendorApplicationSchema,
} from "contract/schemas";
import { oneLine, plainEmail, plainLine } from "contract/people";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parseEmail, parsePhone } from "../../server/src/auth/http/requests.ts";
import type { Row } from "../../server/src/postgres/executor.ts";
import { cloneDatabase, type TestDatabase } from "../../server/testing/database.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await cloneDatabase();
});
afterAll(() => db?.close());

const sql = async <T extends Row>(text: string, ...values: unknown[]) =>
  (await db.database.asService("what people type is tried").query<T>(text, values)).rows;
const uuid = (n: number) => `0c5a9f0e-4f3b-4d6e-9b1a-${String(n).padStart(12, "0")}`;
const mail = (length: number) => "@people.test".padStart(length, "a");

it.each([
  ["713-555-0100", true],
  ["+1 (713) 555-0100 ext. 12", true],
  ["12", false],
  ["abc", false],
  ["abcdefghij", false],
  ["713 555 01", true],
  ["call 713 55", false],
  ["          713-5550  ", false],
])("contract and SQL agree on the telephone number %j", async (phone, good) => {
  const sponsor = { companyName: "Bank", contactName: "Ana", email: "ana@people.test", phone };
  expect(sponsorInquirySchema.safeParse(sponsor).success).toBe(good);
  const [row] = await sql<{ is_phone: boolean }>("select public.is_phone($1)", phone);
  expect(row!.is_phone).toBe(good);
});

it.each([
  ["ana@people.test", true],
  ["Ana.Reyes+box_2@mail-1.people.test", true],
  ["o'neil@people.test", true],
  ["1@2.test", true],
  ["ana@people", false],
  ["tom&jerry@people.test", true],
  ["x!y@people.test", true],
  ["a..b@docomo.ne.jp", true],
  [".ana.@people.test", true],
  ["ana'@people.test", true],
  ["ana@people.t", true],
  ["ana@xn--80a1acny.xn--p1ai", true],
  [`ana@${"p".repeat(63)}.test`, true],
  [`ana@${"p".repeat(64)}.test`, false],
  ["ana@people-.test", false],
  ["Ana <ana@people.test", false],
  ['"ana"@people.test', false],
  ["ana bo@people.test", false],
  ["ana@people.test,bo@people.test", false],
  ["ana@people.test.", false],
  ["ana@.people.test", false],
  ["ana@people..test", false],
  ["ana@-people.test", false],
  ["josé@people.test", false],
  ["ana@bo@people.test", false],
  ["@people.test", false],
  ["ana@", false],
  ["", false],
])("sign-up, orders and SQL agree on the address %j", async (email, good) => {
  const password = "a long password";
  const person = { name: "Ana", email };
  const cart = (buyer: string, attendee: string) => ({
    ...{ user_id: uuid(1), idempotency_key: "a key of a cart", request_hash: "hash", total_cents: 4500 },
    items: [{ type: "ticket", id: uuid(1), quantity: 1 }],
    attendees: [{ name: "Ana", email: attendee }],
    buyer: { name: "Ana", email: buyer, phone: "713-555-0100" },
  });
  const [inSql] = await sql<Record<string, unknown>>(
    "select public.is_email($1) as is_email, public.cart_problem($2) is null as bought, public.cart_problem($3) is null as attends",
    email,
    JSON.stringify(cart(email, mail(20))),
    JSON.stringify(cart(mail(20), email)),
  );
  expect({
    attendee: attendeeSchema.safeParse(person).success,
    signUp: signUpSchema.safeParse({ email, password, confirmPassword: password }).success,
    ...inSql,
  }).toEqual({ attendee: good, signUp: good, is_email: good, bought: good, attends: good });
  if (good) expect(parseEmail(email)).toBe(email.toLowerCase());
});

it.each([
  [" ana@people.test\n", "ana@people.test"],
  ["ana@people.test\u00a0", "ana@people.test"],
  ["\u200bana\u200d@people\ufeff.test", "ana@people.test"],
  ["\u202aana@people.test\u202c", "ana@people.test"],
  ["Ana Reyes <ana@people.test>", "ana@people.test"],
  ['"Reyes, Ana" < ana@people.test > , ', "ana@people.test"],
  ["ana@people.test,", "ana@people.test"],
  ["ana@people.test;", "ana@people.test"],
  ["user@почта.рф", "user@xn--80a1acny.xn--p1ai"],
  ["user@ПОЧТА.РФ", "user@xn--80a1acny.xn--p1ai"],
  ["user@bücher.example", "user@xn--bcher-kva.example"],
  ["user@faß.example", "user@xn--fa-hia.example"],
  ["user@例え。テスト", "user@xn--r8jz45g.xn--zckzah"],
  ["user@ｐｅｏｐｌｅ．ｔｅｓｔ", "user@people.test"],
  ["user@他们为什么不说中文.test", "user@xn--ihqwcrb4cv8a8dqg056pqjye.test"],
  ["user@3年b組金八先生.test", "user@xn--3b-ww4c5e180e575a65lsy2b.test"],
])("contract, auth and SQL read the address %j the same", async (typed, email) => {
  expect(attendeeSchema.parse({ name: "Ana", email: typed }).email).toBe(email);
  expect(parseEmail(typed)).toBe(email);
  expect(await sql("select public.plain_email($1) as email", typed)).toEqual([{ email }]);
});

it.each([
  "ana@people.test/x",
  "ana@pëople.test/x",
  "ana@pë%6fple.test",
  "ana@pë ople.test",
  "ana@pë:1.test",
  "josé@people.test",
  "ana@a@bücher.test",
])("contract, auth and SQL refuse the address %j", async (typed) => {
  expect(attendeeSchema.safeParse({ name: "Ana", email: typed }).success).toBe(false);
  expect(() => parseEmail(typed)).toThrow("invalid format");
  expect(await sql("select public.is_email(public.plain_email($1)) as fits", typed)).toEqual([
    { fits: false },
  ]);
  expect(plainEmail(typed)).toBe(typed);
});

it.each(["٧١٣-٥٥٥-٠١٠٠", "۷۱۳-۵۵۵-۰۱۰۰", "７１３－５５５－０１００", "\u202d713-555-0100\u202c"])(
  "the telephone number %j is stored as others are",
  (typed) => {
    const sponsor = { companyName: "Bank", contactName: "Ana", email: "ana@people.test", phone: typed };
    expect(sponsorInquirySchema.parse(sponsor).phone).toBe("713-555-0100");
    expect(parsePhone(typed.replaceAll(/[-－]/g, ""))).toBe("7135550100");
  },
);

it.each([
  ["  Ana   Maria  Reyes ", "Ana Maria Reyes"],
  ["Ana\u00a0 Reyes", "Ana\u00a0 Reyes"],
])("contract and SQL keep the name %j as %j", async (typed, name) => {
  expect(attendeeSchema.parse({ name: typed, email: mail(20) }).name).toBe(name);
  expect(await sql("select public.plain_line($1) as name", typed)).toEqual([{ name }]);
});

it.each([
  ["Ana", true],
  ["\u200fعلی\u200cرضا", true],
  ["ক্\u200dষ", true],
  ["Ana\nPay again", false],
  ["Ana\r\nPay again", false],
  ["Ana\tPay again", false],
  ["Ana\u0085Pay again", false],
  ["Ana\u009bPay again", false],
  ["Ana\u2028Pay again", false],
  ["Ana\u2029Pay again", false],
  ["Ana\u202eniaga yaP", false],
  ["Ana\u202aBo\u202c", false],
  ["Ana\u2066Bo\u2069", false],
  ["\u200b", false],
  ["\u3164", false],
  ["\u2060 \u200d", false],
])("contract, every form and every list of guests agree on the name %j", async (name, good) => {
  const sponsor = { companyName: "Bank", contactName: "Ana", email: mail(20), phone: "713-555-0100" };
  const vendor = {
    ...{ businessName: "Booth", contactName: "Ana", email: mail(20), phone: "713-555-0100" },
    ...{ vendorType: "food", description: "a\nb", products: "a\nb", agreeTerms: true },
  };
  for (const [schema, form, field] of [
    [sponsorInquirySchema, sponsor, "companyName"],
    [sponsorInquirySchema, sponsor, "contactName"],
    [vendorApplicationSchema, vendor, "businessName"],
    [vendorApplicationSchema, vendor, "contactName"],
  ] as const)
    expect(schema.safeParse({ ...form, [field]: name }).success, field).toBe(good);
  const inquiry = [
    "insert into public.sponsor_inquiries (company_name, contact_name, email, phone) values ($1, $2, $3, '713-555-0100')",
    mail(20),
  ] as const;
  const application = [
    `insert into public.vendor_applications (booth_name, contact_name, contact_email, contact_phone, vendor_type,
      description, products, description_of_goods) values ($1, $2, $3, '713-555-0100', 'food', '', '', '')`,
    mail(20),
  ] as const;
  for (const [statement, email] of [inquiry, application])
    for (const names of [
      [name, "Ana"],
      ["Bank", name],
    ])
      expect(
        await sql(statement, ...names, email).then(
          () => true,
          () => false,
        ),
        statement,
      ).toBe(good);
  const [row] = await sql<{ problem: string | null }>(
    "select public.guests_problem($1::jsonb) as problem",
    JSON.stringify([{ name, email: mail(20) }]),
  );
  expect(row!.problem).toBe(good ? null : "Guest 1: a name is required");
});

it("contract and SQL agree on which characters can be a name alone", async () => {
  const rows = await sql<{ fits: string }>(
    `select string_agg(chr(n), '' order by n) as fits from generate_series(32, x'10ffff'::integer) as n
       where n not between x'd800'::integer and x'dfff'::integer and public.is_one_line(chr(n))`,
  );
  const all = Array.from({ length: 0x110000 - 32 }, (_, n) => String.fromCodePoint(n + 32));
  const fits = all.filter((one) => one.isWellFormed() && oneLine.test(one) && plainLine(one) !== "");
  expect(rows[0]!.fits === fits.join("")).toBe(true);
});

it.each([
  ["Pay at https://evil.test", false],
  ["HTTP://evil", false],
  ["Ana www.evil.test", false],
  ["Www.evil.test", false],
  ["evil.test/pay", false],
  ["Ana (t.co/x)", false],
  ["evil.xn--p1ai/login", false],
  ["пример.рф/x", false],
  ["http:\\\\evil.test\\r", false],
  ["evil.test\\r", false],
  ["evil。com/x", false],
  ["ｅｖｉｌ．ｃｏｍ／x", false],
  ["evil.com?a=1", false],
  ["evil.com#a", false],
  ["evil.com:8080/x", false],
  ["Evil.Com/x", false],
  ["Big.Shop/x", false],
  ["T.Co/x", false],
  ["Go Dr.King/Jr. evil.photography/x", false],
  ["a.Evil.Photography/x", false],
  ["My.Bank/login", false],
  ["Get.Tickets/now", false],
  ["Pay.Support/now", false],
  ["Evil.Academy/x", false],
  ["Ann Tiny.Url/x", false],
  ["X.Com/login", false],
  ["Dr.Shop/login", false],
  ["J.Evil.Photography/x", false],
  ["Dr.Evil.Photography/x", false],
  ["Prof.Weber/Rev.King", true],
  ["Ms.Lee/Mr.Lee", true],
  ["Sr.DeLaCruz/St.James", true],
  ["Dr.McKing/guest", true],
  ["J.Smith/guest", true],
  ["Dr.King/Jr.", true],
  ["Mrs.Weber/Weiß", true],
  ["Is it J.Smith?", true],
  ["小明/明", true],
  ["Awww. Ana", true],
  ["Dr./Prof. Ana", true],
  ["Ana/Bo", true],
  ["J.Smith", true],
  ["Ana: the 3rd", true],
])("contract, carts, forms, guests and orders agree on whether %j has a web address", async (name, good) => {
  expect(attendeeSchema.safeParse({ name, email: mail(20) }).error?.issues[0]?.message).toBe(
    good ? undefined : "A name cannot contain a web address",
  );
  const cart = (buyer: string, attendee: string) => ({
    ...{ user_id: uuid(1), idempotency_key: "a key of a cart", request_hash: "hash", total_cents: 4500 },
    items: [{ type: "ticket", id: uuid(1), quantity: 1 }],
    attendees: [{ name: attendee, email: mail(20) }],
    buyer: { name: buyer, email: mail(20), phone: "713-555-0100" },
  });
  const [answers] = await sql<Record<string, unknown>>(
    `select public.has_link($1) as has_link, public.cart_problem($2) is null as bought, public.cart_problem($3) is null as attends,
       public.guests_problem($4) is null as guest`,
    name,
    ...[cart(name, "Ana"), cart("Ana", name), [{ name, email: mail(20) }]].map((each) =>
      JSON.stringify(each),
    ),
  );
  expect(answers).toEqual({ has_link: !good, bought: good, attends: good, guest: good });
  const inquiry = sql(
    "insert into public.sponsor_inquiries (company_name, contact_name, email, phone) values ('www.bank.test', $1, $2, '713-555-0100')",
    name,
    mail(20),
  );
  const isTaken = await inquiry.then(
    () => true,
    () => false,
  );
  expect(isTaken, "a form's contact; its company may be a web address").toBe(good);
});
