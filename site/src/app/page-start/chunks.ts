// Assigns each module to a built file. By default the bundler makes two dozen files of a few hundred bytes, which a phone fetches
// one by one. Figures: docs/decisions/030-page-start.md.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Rolldown } from "vite";

const compiledAhead = ["react", "frame", "store", "supabase"];

/** Modules that are bundled together: packages, and files or folders below site/src and contract/src. */
interface Group {
  name: string;
  packages?: readonly string[];
  site?: readonly string[];
  contract?: readonly string[];
  /** Modules that the bundler adds. */
  added?: readonly string[];
}

/** A module listed in two groups goes to the first. */
const groups: readonly Group[] = [
  { name: "react", packages: ["react/", "react-dom/", "scheduler/"] },
  // Pages have it in their HTML. A group takes the imports of its modules along, used or not, unless an earlier group lists them.
  { name: "card", site: ["app/share-card.ts"] },
  {
    // What every page starts with.
    name: "frame",
    packages: ["clsx/"],
    site: [
      "app/root.tsx",
      "app/head.ts",
      "app/layouts/public.tsx",
      "app/page-start/router/",
      "app/frame/account-area.tsx",
      "app/frame/brand.tsx",
      "app/frame/links.ts",
      "app/frame/top-bar.tsx",
      "app/frame/use-log-out.ts",
      "ui/basics/button.tsx",
      "ui/basics/class-names.ts",
      "ui/basics/lazily.ts",
      "ui/basics/spinner.tsx",
      "ui/overlays/toast.ts",
      "ui/overlays/toaster.tsx",
      "lib/session/auth-landing.ts",
      "lib/session/session-store.ts",
      "lib/session/session.tsx",
      "lib/api/env.ts",
      "lib/festival/",
      "lib/api/supabase.ts",
      "lib/browser/error-log.ts",
      "lib/browser/stored-json.ts",
    ],
    added: ["preload-helper"],
  },
  {
    // What several public pages share, and small modules of the groups below that would otherwise make one group load another.
    name: "page",
    packages: [
      "lucide-react/dist/esm/Icon.",
      "lucide-react/dist/esm/createLucideIcon.",
      "lucide-react/dist/esm/defaultAttributes.",
      "lucide-react/dist/esm/context.",
      "lucide-react/dist/esm/shared/",
      "lucide-react/dist/esm/icons/plus.",
      "lucide-react/dist/esm/icons/x.",
    ],
    site: [
      "lib/api/causes.ts",
      "lib/api/open-outcome.ts",
      "lib/format.ts",
      "lib/api/renewed.ts",
      "lib/api/time-limit.ts",
      "lib/time/server-clock.ts",
      "ui/basics/badge.tsx",
      "ui/art/geometry.ts",
      "ui/basics/email-text.tsx",
      "ui/overlays/focus-kept.ts",
      "ui/page/card.tsx",
      "ui/page/page-header.tsx",
      "ui/page/poster-header.tsx",
      "ui/page/reveal.tsx",
      "ui/page/screen-states.tsx",
      "ui/page/skeleton.tsx",
    ],
    contract: ["limits.ts", "text-limits.ts", "shop/money.ts", "festival/time-zone.ts"],
  },
  {
    // What the pages that sell share.
    name: "store",
    packages: ["@tanstack/"],
    site: [
      "features/checkout/cart/",
      "features/catalog/",
      "ui/forms/quantity-stepper.tsx",
      "lib/api/query.ts",
    ],
  },
  {
    // The home page's pictures, some of which other pages show too.
    name: "art",
    site: [
      "features/festival/schedule-list.tsx",
      "features/festival/map-preview.tsx",
      "ui/art/boots.tsx",
      "ui/art/bull.tsx",
      "ui/art/purple-room.tsx",
      "ui/art/speakers.tsx",
      "ui/art/smoker.tsx",
      "ui/art/map-areas.tsx",
      "ui/art/map-ground.tsx",
    ],
  },
  {
    // Only of use once there is a client. Earlier pages load none of it, and it adds no file.
    name: "supabase",
    packages: ["@supabase/"],
    site: ["lib/api/supabase-client.ts", "lib/session/staff-role.ts"],
  },
  { name: "form", packages: ["react-hook-form/"] },
  {
    name: "shapes",
    packages: ["zod/", "@hookform/"],
    contract: ["door.ts", "schemas.ts", "tickets/transfers.ts"],
  },
  {
    name: "dialogs",
    packages: ["@radix-ui/react-dialog/", "@radix-ui/react-alert-dialog/"],
    site: [
      "ui/overlays/alert-dialog.tsx",
      "ui/overlays/dialog-buttons.tsx",
      "ui/overlays/dialog.tsx",
      "ui/overlays/full-screen.tsx",
    ],
  },
  {
    // The fields of a form, and why it was refused. The tickets page needs no more.
    name: "fields",
    site: [
      "lib/api/refusal.ts",
      "lib/session/ask.ts",
      "lib/session/refusal-words.ts",
      "ui/forms/field.tsx",
      "ui/forms/input.tsx",
    ],
  },
  {
    // The small parts of every page with a form.
    name: "parts",
    packages: [
      "lucide-react/dist/esm/icons/arrow-left.",
      "lucide-react/dist/esm/icons/check.",
      "lucide-react/dist/esm/icons/chevron-down.",
      "lucide-react/dist/esm/icons/circle-exclamation-point.",
      "lucide-react/dist/esm/icons/download.",
      "lucide-react/dist/esm/icons/hourglass.",
      "lucide-react/dist/esm/icons/printer.",
      "lucide-react/dist/esm/icons/users.",
    ],
    site: [
      "app/frame/needs-script.tsx",
      "features/account/auth-mode.ts",
      "features/account/require-user.tsx",
      "features/account/return-path.ts",
      "lib/api/functions.ts",
      "lib/api/rate-limit.ts",
      "lib/browser/hydrated.ts",
      "lib/browser/save-file.ts",
      "lib/browser/typed.ts",
      "lib/time/",
      "ui/figures/figure-card.tsx",
      "ui/figures/figure-row.tsx",
      "ui/figures/progress-bar.tsx",
      "ui/forms/checkbox.tsx",
      "ui/forms/code-entry.tsx",
      "ui/forms/radio-cards.tsx",
      "ui/forms/stepper.tsx",
      "ui/forms/terms-note.tsx",
      "ui/forms/use-attempt.ts",
      "ui/page/panel.tsx",
      "ui/page/warning-note.tsx",
    ],
    contract: ["errors.ts", "shop/refund-reasons.ts", "shop/refunded-payments.ts"],
  },
  {
    // What the back office's screens share.
    name: "desk",
    packages: ["lucide-react/dist/esm/icons/search."],
    site: [
      "app/admin-head.ts",
      "features/admin-money/money-frame.tsx",
      "lib/lists/",
      "ui/forms/decision-select.tsx",
      "ui/forms/moment-input.tsx",
      "ui/forms/reason-fields.tsx",
      "ui/lists/",
      "ui/page/screen-head.tsx",
    ],
    contract: ["shop/currency.ts"],
  },
  {
    // Signing in, on the sign-in page, the account page and the gate.
    name: "account",
    site: [
      "features/account/account-error.ts",
      "features/account/auth-calls.ts",
      "features/account/auth-entries.ts",
      "features/account/captcha/use-captcha.tsx",
      "features/account/codes/code-problem.ts",
      "features/account/sign-in/confirmation-note.tsx",
      "features/account/email-field.tsx",
      "features/account/codes/mailed-code.tsx",
      "features/account/sign-in/mode-link.tsx",
      "features/account/sign-in/sign-in-form.tsx",
      "lib/api/auth-settings.ts",
    ],
  },
  {
    // Paying, at the checkout and for a pending order.
    name: "payment",
    site: [
      "features/checkout/decide-payment.ts",
      "features/checkout/finish-payment.ts",
      "features/checkout/model.ts",
      "features/checkout/queries.ts",
      "features/checkout/release-hold.ts",
      "features/checkout/payment/load-payment-provider.ts",
      "features/checkout/payment/payment-provider.ts",
    ],
    contract: ["shop/waiting-room.ts"],
  },
  {
    // An order as its buyer sees it.
    name: "orders",
    site: ["features/orders/"],
  },
];

const root = join(import.meta.dirname, "../../../..");

/** @throws Error when a group names a file that has moved */
export function chunks(): Rolldown.OutputOptions {
  return {
    // Every page carries the list of all files, so their names are short.
    chunkFileNames: "assets/[hash].js",
    entryFileNames: "assets/[hash].js",
    // Has V8 compile the whole file while it downloads, instead of each function when it is first called.
    postBanner: ({ name }) => (compiledAhead.includes(name) ? "//# allFunctionsCalledOnLoad" : ""),
    codeSplitting: {
      groups: groups.map((group, at) => ({
        name: group.name,
        test: testOf(group),
        priority: groups.length - at,
      })),
    },
  };
}

function testOf({
  name,
  packages = [],
  site = [],
  contract = [],
  added = [],
}: Group): (id: string) => boolean {
  const own = [...site.map((path) => `site/src/${path}`), ...contract.map((path) => `contract/src/${path}`)];
  for (const path of own)
    if (!existsSync(join(root, path))) throw new Error(`chunks.ts, "${name}": ${path} is not there`);
  const parts = [...packages.map((path) => `node_modules/${path}`), ...own, ...added];
  return (id) => parts.some((part) => id.includes(part));
}
