// The HTML document of every page: head, fonts, session, toasts.
import displayFont from "@fontsource-variable/big-shoulders/files/big-shoulders-latin-wght-normal.woff2?url";
import textFont from "@fontsource-variable/source-sans-3/files/source-sans-3-latin-wght-normal.woff2?url";
import type { ReactNode } from "react";
import { Links, Meta, Outlet, Scripts, ScrollRestoration, useLocation } from "react-router";
import { logError } from "#lib/browser/error-log.ts";
import { useFestival } from "#lib/festival/content.ts";
import { SessionProvider } from "#lib/session/session.tsx";
import { Toaster } from "#ui/overlays/toaster.tsx";
import styles from "../styles/app.css?url";
import { sharingCard } from "./head.ts";

export const links = () => [
  ...[displayFont, textFont].map((href) => ({
    rel: "preload",
    as: "font",
    type: "font/woff2",
    crossOrigin: "anonymous" as const,
    href,
  })),
  // Built pages have the style sheet inline: see page-start/paint-first.ts.
  ...(import.meta.env.DEV ? [{ rel: "stylesheet", href: styles }] : []),
  { rel: "icon", href: "/favicon.ico", sizes: "32x32" },
  { rel: "icon", href: "/favicon.svg", type: "image/svg+xml" },
  { rel: "apple-touch-icon", href: "/apple-touch-icon.png" },
];

export function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en-US">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="theme-color" content="#17130f" />
        <PageMeta />
        {sharingCard().map((tag) => (
          <meta key={tag.property ?? tag.name} {...tag} />
        ))}
        <Links />
      </head>
      <body>
        {children}
        <ScrollRestoration />
        <Scripts />
      </body>
    </html>
  );
}

/** Again whenever other facts are shown: they are in the title. */
function PageMeta() {
  useFestival();
  return <Meta />;
}

const forgetBuyer = (userId: string) =>
  import("./forget-buyer.ts")
    .then((module) => module.forgetBuyer(userId))
    .catch((error: unknown) => logError("forget the buyer", error));

export default function Root() {
  // Rows in the back office end in buttons, which an alert there would cover. The middle of its top bar is empty.
  const inOffice = /^\/admin(\/|$)/i.test(useLocation().pathname);
  return (
    <SessionProvider onSignOut={forgetBuyer}>
      <Outlet />
      <Toaster edge={inOffice ? "top" : "bottom"} />
    </SessionProvider>
  );
}

/** When the frame of every page breaks. The layouts have better pages for what breaks inside. */
export function ErrorBoundary() {
  return (
    <main className="page-width py-28">
      <h1 className="display text-headline">The record skipped</h1>
      <a href="">Reload this page</a>
    </main>
  );
}
