// The one table of personal data (contract/personal-data) beside the database, the download and the operator's page.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { personalData } from "contract/personal-data";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cloneDatabase, type TestDatabase } from "../../server/testing/database.ts";
import { openOffice, type Office } from "./office.ts";

let db: TestDatabase;
let office: Office;
beforeAll(async () => {
  db = await cloneDatabase();
  office = await openOffice(db);
});
afterAll(() => db?.close());

const listed = personalData.flatMap(({ tables }) => Object.entries(tables));

/** Tables about nobody. A column that looks like a person's is named with what it is. */
const impersonal: Readonly<Record<string, readonly string[]>> = {
  "auth.custom_oauth_providers": ["email_optional", "authorization_params", "authorization_url"],
  "auth.oauth_client_states": [],
  "auth.saml_providers": [],
  "auth.saml_used_assertions": [],
  "auth.sso_domains": [],
  "auth.sso_providers": [],
  "payments_sandbox.deliveries": [],
  "payments_sandbox.idempotency_keys": [],
  "payments_sandbox.objects": [],
  "public.address_key": [],
  "public.card_declines": [],
  "public.entry_keys": [],
  "public.festival": ["address", "email", "phone"],
  "public.gate_counts_cache": [],
  "public.gate_entrances": [],
  "public.gate_places": ["phone"],
  "public.gate_settings": [],
  "public.order_returns": [],
  "public.product_kinds": ["needs_attendee"],
  "public.products": [],
  "public.promo_codes": ["max_uses_per_buyer"],
  "public.provider_books": [],
  "public.provider_transactions": [],
  "public.reconciliation": [],
  "public.refund_attempts": [],
  "public.refund_run_skips": [],
  "public.sale_pace": [],
  "public.scans_broadcast": [],
  "public.shop_settings": [
    "max_tickets_per_buyer",
    "max_orders_per_buyer",
    "max_orders_per_address",
    "address_hold_share",
  ],
  "public.staff_settings": [],
  "public.stock_broadcast": [],
  "public.waiting_room": [],
  "realtime.messages": [],
  "server_health.written": [],
  "server_migrations.applied": [],
  "server_migrations.first_admin": ["user_id"],
  "storage.buckets": [],
};
const PERSONAL =
  /email|phone|full_name|attendee|buyer|(^|_)address|user_id|_by$|user_agent|(^|_)ip($|_)|seller|author|holder|contact|recipient/;

async function undecided(): Promise<string[]> {
  const tables = await office.sql<{ name: string; columns: string[] }>(
    `select format('%s.%s', n.nspname, c.relname) as name, array_agg(a.attname::text order by a.attnum) as columns
     from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relkind in ('r', 'p') and n.nspname !~ '^(pg_|information_schema)' group by 1 order by 1`,
  );
  const personal = new Set(listed.map(([table]) => table));
  const names = tables.map(({ name }) => name);
  return [
    ...tables.flatMap(({ name, columns }) => {
      if (personal.has(name)) return [];
      const known = impersonal[name];
      if (!known) return [name];
      return columns
        .filter((column) => PERSONAL.test(column) && !known.includes(column))
        .map((column) => `${name}.${column}`);
    }),
    ...[...personal, ...Object.keys(impersonal)]
      .filter((name) => !names.includes(name))
      .map((name) => `${name} is no table`),
  ];
}

describe("the table of personal data", () => {
  it("decides about every table, once", async () => {
    expect(await undecided()).toEqual([]);
    const all = [...listed.map(([table]) => table), ...Object.keys(impersonal)];
    expect(all.filter((table, at) => all.indexOf(table) !== at)).toEqual([]);
  });

  it("is missing a table or a column that is added", async () => {
    await office.sql("create table public.survey_answers (id uuid, answer text)");
    await office.sql("alter table public.promo_codes add column contact_email text");
    expect(await undecided()).toEqual(["public.promo_codes.contact_email", "public.survey_answers"]);
    await office.sql("drop table public.survey_answers");
    await office.sql("alter table public.promo_codes drop column contact_email");
  });

  it("says what is in the download, and why something is not", async () => {
    const [row] = await office.as<{ data: Record<string, unknown> }>(
      "buyer",
      "select public.export_my_data() as data",
    );
    const members = Object.keys(row!.data).filter((key) => !["made_at", "at_most_of_a_kind"].includes(key));
    expect(
      [...new Set(listed.flatMap(([, members]) => members.split(", ")).filter(Boolean))].toSorted(),
    ).toEqual(members.toSorted());
    const [source] = await office.sql<{ text: string }>(
      "select pg_get_functiondef('public.export_my_data'::regproc) as text",
    );
    const unread = listed.filter(
      ([table, member]) => member && !new RegExp(`\\b${table}\\b`).test(source!.text),
    );
    expect(unread).toEqual([]);
    for (const { what, tables, notInDownload } of personalData)
      expect(Object.values(tables).includes(""), what).toBe(notInDownload !== undefined);
  });

  it("is in docs/OPERATING.md", () => {
    const page = readFileSync(join(import.meta.dirname, "../../docs/OPERATING.md"), "utf8");
    const lines = personalData.map(({ what, readBy, kept, tables, notInDownload }) => {
      const where = Object.keys(tables).map((table) => `\`${table.replace("public.", "")}\``);
      const members = [...new Set(Object.values(tables).filter(Boolean))];
      const not = notInDownload && `not: ${notInDownload}`;
      return `| ${what} | ${where.join(", ")} | ${readBy} | ${[members.join(", "), not].filter(Boolean).join("; ")} | ${kept} |`;
    });
    expect(page).toContain(lines.join("\n"));
  });
});
