// The fixed bar: transparent at the top of a page, white and blurred after scrolling.
import { useEffect, useRef, useState, type RefObject } from "react";
import { NavLink, useLocation } from "react-router";
import { Button } from "#ui/basics/button.tsx";
import { classNames } from "#ui/basics/class-names.ts";
import { AccountArea } from "./account-area.tsx";
import { Brand } from "./brand.tsx";
import { navigationLinks } from "./links.ts";

/** Pixels of scroll after which the bar is no longer transparent. */
const TRANSPARENT_UNTIL = 20;

// Closer together below 1280 px, where a member of staff has three links beside these.
const barLink =
  "relative px-2.5 py-2 font-semibold whitespace-nowrap max-xl:px-1.5 after:absolute after:inset-x-2.5 max-xl:after:inset-x-1.5 after:bottom-1 after:h-1 after:origin-left after:scale-x-0 after:bg-(--bar-mark,var(--color-candy)) after:transition-transform hover:after:scale-x-100 aria-[current=page]:after:scale-x-100";
const menuLink =
  "display block border-b-2 border-ink/15 py-2.5 text-3xl aria-[current=page]:border-candy aria-[current=page]:text-candy-deep";

export function TopBar() {
  const scrolled = useScrolledPast(TRANSPARENT_UNTIL);
  const menu = useRef<HTMLDivElement>(null);
  const open = useMenu(menu);

  return (
    <header
      data-print="never"
      data-bar={scrolled ? "solid" : "clear"}
      className={classNames(
        "fixed inset-x-0 top-0 z-40 transition-[background-color,box-shadow] duration-300 has-[:popover-open]:bg-white!",
        scrolled && "bg-white/88 shadow-[0_2px_18px_rgb(23_19_15/0.18)] backdrop-blur-md",
      )}
    >
      <div className="page-width flex h-18 items-center gap-4">
        <Brand />
        <MainLinks />
        {/* As wide as its widest content, so the links next to it do not move when the session is known. */}
        <div className="hidden min-w-62 items-center justify-end gap-1.5 lg:flex xl:gap-3">
          <AccountArea linkClass={barLink} />
        </div>
        <Button
          variant="ghost"
          size="icon"
          className="ml-auto lg:hidden"
          popoverTarget="mobile-menu"
          aria-expanded={open}
          aria-label={open ? "Close menu" : "Open menu"}
        >
          <MenuIcon open={open} />
        </Button>
      </div>
      <div
        ref={menu}
        id="mobile-menu"
        popover="auto"
        className="fixed top-18 bottom-auto max-h-[calc(100dvh-18*var(--spacing))] w-full max-w-none overflow-y-auto border-y-2 border-ink bg-white pb-8 text-ink lg:hidden"
      >
        <MobileLinks open={open} />
      </div>
    </header>
  );
}

function MainLinks() {
  return (
    <nav aria-label="Main" className="ml-auto hidden lg:block">
      <ul className="flex">
        {navigationLinks.map(({ path, label, isOfTheDay }) => (
          <li key={path} className={isOfTheDay && "max-xl:hidden"}>
            <NavLink to={path} end={path === "/"} className={barLink}>
              {label}
            </NavLink>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function MobileLinks({ open }: { open: boolean }) {
  return (
    <nav aria-label="Mobile" className="page-width pt-3">
      <ul>
        {navigationLinks.map(({ path, label }) => (
          <li key={path}>
            <NavLink to={path} end={path === "/"} className={menuLink}>
              {label}
            </NavLink>
          </li>
        ))}
      </ul>
      <div className="mt-2 flex flex-col gap-4">
        {open && <AccountArea linkClass={menuLink} spelledOut />}
      </div>
    </nav>
  );
}

/** Three bars, or a cross while the menu is open. */
function MenuIcon({ open }: { open: boolean }) {
  return (
    <svg
      viewBox="0 0 28 28"
      className="size-8"
      fill="none"
      stroke="currentColor"
      strokeWidth="4"
      aria-hidden="true"
    >
      <path d={open ? "M5 5l18 18M23 5 5 23" : "M2 6h24M2 14h24M2 22h24"} />
    </svg>
  );
}

function useScrolledPast(pixels: number): boolean {
  const [scrolled, setScrolled] = useState(false);
  useEffect(() => {
    const look = () => setScrolled(window.scrollY > pixels);
    look();
    window.addEventListener("scroll", look, { passive: true });
    return () => window.removeEventListener("scroll", look);
  }, [pixels]);
  return scrolled;
}

/** Whether the menu is open. The browser opens and closes it, so it works without script too; a change of route closes it. */
function useMenu(menu: RefObject<HTMLDivElement | null>): boolean {
  const [open, setOpen] = useState(false);
  const { key } = useLocation();
  useEffect(() => {
    const element = menu.current!;
    const look = () => setOpen(element.matches(":popover-open"));
    look();
    element.addEventListener("toggle", look);
    return () => element.removeEventListener("toggle", look);
  }, [menu]);
  const shownAt = useRef(key);
  useEffect(() => {
    if (shownAt.current !== key) menu.current!.hidePopover();
    shownAt.current = key;
  }, [menu, key]);
  return open;
}
