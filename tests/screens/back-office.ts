// What an administrator sees, with the orders, forms and accounts that the other series have left.
import { createClient } from "@supabase/supabase-js";
import { createAccount } from "../support/accounts.ts";
import { signIn } from "../support/buyer.ts";
import type { Studio } from "./studio.ts";

const PAGES = [
  "orders",
  "messages",
  "messages/new",
  "attendees",
  "door",
  "tills",
  "comps",
  "money/sales",
  "money/accounts",
  "gate",
  "festival",
  "users",
  "inventory",
  "vendors",
  "sponsors",
  "audit-logs",
] as const;

export async function shootBackOffice({ page, status, shoot }: Studio): Promise<void> {
  const account = await createAccount(status);
  const service = createClient(status.API_URL!, status.SERVICE_ROLE_KEY!, {
    auth: { persistSession: false },
  });
  const { error } = await service.from("user_roles").insert({ user_id: account.id, role: "admin" });
  if (error) throw error;
  await page.goto("/auth");
  await signIn(page, account);
  await page.getByRole("heading", { name: /Your Tickets & Orders/ }).waitFor();
  await page.goto("/admin");
  await page.getByText("Live Data").waitFor();
  await shoot("admin-dashboard");
  for (const name of PAGES) {
    await page.goto(`/admin/${name}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await shoot(`admin-${name.replace("/", "-")}`);
  }
  const { data: order } = await service.from("orders").select("id").limit(1).maybeSingle();
  if (order) {
    await page.goto(`/admin/orders/${order.id}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await shoot("admin-order");
  }
  await page.getByRole("button", { name: /^Notifications/ }).click();
  await shoot("admin-bell");
  await page.context().close();
}
