// Every route of the site. The back office, under /admin, and the gate have their own layouts.
import { index, layout, route, type RouteConfig } from "@react-router/dev/routes";

export default [
  layout("./layouts/public.tsx", [
    index("./routes/home.tsx"),
    route("about", "./routes/about.tsx"),
    route("schedule", "./routes/schedule.tsx"),
    route("vendors", "./routes/vendors.tsx"),
    route("sponsors", "./routes/sponsors.tsx"),
    route("faq", "./routes/faq.tsx"),
    route("map", "./routes/map.tsx"),
    route("terms", "./routes/terms.tsx"),
    route("privacy", "./routes/privacy.tsx"),
    layout("./layouts/shop.tsx", [
      route("tickets", "./routes/tickets.tsx"),
      route("auth", "./routes/auth.tsx"),
      route("checkout", "./routes/checkout.tsx"),
      route("order-confirmation", "./routes/order-confirmation.tsx"),
      route("dashboard", "./routes/dashboard.tsx"),
      route("my-tickets", "./routes/my-tickets.tsx"),
    ]),
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
      route("gate", "./routes/admin/gate.tsx"),
      route("festival", "./routes/admin/festival.tsx"),
      route("users", "./routes/admin/users.tsx"),
      route("inventory", "./routes/admin/inventory.tsx"),
      route("promo-codes", "./routes/admin/promo-codes.tsx"),
      route("vendors", "./routes/admin/vendors.tsx"),
      route("sponsors", "./routes/admin/sponsors.tsx"),
      route("audit-logs", "./routes/admin/audit-logs.tsx"),
      route("audit", "./routes/admin/audit.tsx"),
    ]),
  ]),
] satisfies RouteConfig;
