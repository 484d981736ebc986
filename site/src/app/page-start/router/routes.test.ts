import { beforeAll, expect, test, vi } from "vitest";
import { loadRoute, moduleOf, placeAt } from "./routes.ts";

const route = (id: string, parentId: string, path?: string) => ({ id, parentId, path, module: `/${id}.js` });

beforeAll(() => {
  const routes = [
    { id: "root", path: "", module: "/root.js" },
    route("frame", "root"),
    route("nowhere", "frame", "*"),
    route("home", "frame"),
    route("faq", "frame", "/faq"),
    route("office", "root", "admin"),
    route("office-nowhere", "office", "*"),
    route("desk", "office"),
    route("order", "office", "orders/:id"),
    route("orders", "office", "orders"),
    route("new", "office", "orders/new"),
  ];
  vi.stubGlobal("__reactRouterManifest", { routes: Object.fromEntries(routes.map((one) => [one.id, one])) });
  vi.stubGlobal("__reactRouterRouteModules", {});
});

const idsAt = (path: string) => placeAt(path).routes.map(({ id }) => id);

test.each([
  ["/", ["root", "frame", "home"]],
  ["/faq", ["root", "frame", "faq"]],
  ["/FAQ/", ["root", "frame", "faq"]],
  ["/faq/more", ["root", "frame", "nowhere"]],
  ["/admin", ["root", "office", "desk"]],
  ["/admin/orders", ["root", "office", "orders"]],
  ["/admin/orders/new", ["root", "office", "new"]],
  ["/admin/orders/7", ["root", "office", "order"]],
  ["/admin/orders/7/8", ["root", "office", "office-nowhere"]],
])("%s has the most exact route, and those around it", (path, ids) => {
  expect(idsAt(path)).toEqual(ids);
});

test("parameters are decoded, unless they cannot be", () => {
  expect(placeAt("/admin/orders/a%20b").params).toEqual({ id: "a b" });
  expect(placeAt("/admin/orders/100%").params).toEqual({ id: "100%" });
});

test("a file is loaded once, however often its link is pressed meanwhile", async () => {
  const screen = { default: () => null };
  const load = vi.fn(async () => screen);
  vi.stubGlobal("loadPage", load);
  const faq = placeAt("/faq").routes.at(-1)!;
  await Promise.all([loadRoute(faq), loadRoute(faq)]);
  expect(load).toHaveBeenCalledOnce();
  expect(moduleOf(faq)).toBe(screen);
});
