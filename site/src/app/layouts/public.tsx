// The frame of every page outside the back office, broken pages included: skip link, top bar, content, footer.
import { Suspense, type ReactNode } from "react";
import { Outlet } from "react-router";
import { lazily } from "#ui/basics/lazily.ts";
import { Notice } from "../frame/notice.tsx";
import { TopBar } from "../frame/top-bar.tsx";

// Prerendered with the page, so its script can load later.
const Footer = lazily(() => import("../frame/footer.tsx"));
const afterLoad = () => import("../frame/after-load.tsx");
const Attendants = lazily(async () => ({ default: (await afterLoad()).Attendants }));
const BrokenPage = lazily(async () => ({ default: (await afterLoad()).BrokenPage }));
const VisitTracker = lazily(() => import("#features/visits/visit-tracker.tsx"));

export { manifest as links } from "../head.ts";

export default function PublicLayout() {
  return (
    <Frame>
      <Outlet />
    </Frame>
  );
}

export function ErrorBoundary() {
  return (
    <Frame>
      <Suspense>
        <BrokenPage />
      </Suspense>
    </Frame>
  );
}

function Frame({ children }: { children: ReactNode }) {
  return (
    <div className="flex min-h-dvh flex-col">
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:bg-ink focus:px-4 focus:py-3 focus:text-paper"
      >
        Skip to content
      </a>
      <TopBar />
      <Notice />
      <main data-typed="" id="content" tabIndex={-1} className="relative min-h-svh flex-1 outline-none">
        {children}
      </main>
      <Suspense>
        <Footer />
        <Attendants />
        <VisitTracker />
      </Suspense>
    </div>
  );
}
