// Every route of the site. The back office, under /admin, and the gate have their own layouts.
import { index, layout, route, type RouteConfig } from "@react-router/dev/routes";
import { personalPaths, publicPaths } from "./pages.ts";

const page = (path: string) => route(path, `./routes${path}.tsx`);

export default [
  layout("./layouts/public.tsx", [
    index("./routes/home.tsx"),
    ...publicPaths.filter((path) => path !== "/" && path !== "/tickets").map(page),
    layout("./layouts/shop.tsx", ["/tickets", ...personalPaths].map(page)),
    route("*", "./routes/not-found.tsx"),
  ]),
  layout("./layouts/gate.tsx", [route("gate", "./routes/gate.tsx")]),
  route("admin", "./layouts/admin.tsx", [
    layout("./layouts/admin-screens.tsx", [
      index("./routes/admin/dashboard.tsx"),
      route("orders", "./routes/admin/orders.tsx"),
      route("orders/:id", "./routes/admin/order.tsx"),
      route("messages", "./routes/admin/messages.tsx"),
      route("messages/new", "./routes/admin/new-message.tsx"),
      route("attendees", "./routes/admin/attendees.tsx"),
      route("attendees/door-list", "./routes/admin/door-list.tsx"),
      route("door", "./routes/admin/door.tsx"),
      route("tills", "./routes/admin/tills.tsx"),
      route("comps", "./routes/admin/comps.tsx"),
      route("money", "./routes/admin/money/index.tsx"),
      route("money/sales", "./routes/admin/money/sales.tsx"),
      route("money/accounts", "./routes/admin/money/accounts.tsx"),
      route("money/disputes", "./routes/admin/money/disputes.tsx"),
      route("money/refunds", "./routes/admin/money/refunds.tsx"),
      route("money/refunds/:id", "./routes/admin/money/refund-run.tsx"),
      route("gate", "./routes/admin/gate.tsx"),
      route("festival", "./routes/admin/festival.tsx"),
      route("festival/change", "./routes/admin/festival-change.tsx"),
      route("users", "./routes/admin/users.tsx"),
      route("inventory", "./routes/admin/inventory.tsx"),
      route("promo-codes", "./routes/admin/promo-codes.tsx"),
      route("waitlist", "./routes/admin/waitlist.tsx"),
      route("vendors", "./routes/admin/vendors.tsx"),
      route("sponsors", "./routes/admin/sponsors.tsx"),
      route("audit-logs", "./routes/admin/audit-logs.tsx"),
      route("audit", "./routes/admin/audit.tsx"),
      route("*", "./routes/admin/not-found.tsx"),
    ]),
  ]),
] satisfies RouteConfig;
