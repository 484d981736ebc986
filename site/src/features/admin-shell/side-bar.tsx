import { ArrowLeft, LogOut, X } from "lucide-react";
import { useEffect, useId, useRef } from "react";
import { Link, NavLink } from "react-router";
import { useFestival } from "#lib/festival/content.ts";
import { Button } from "#ui/basics/button.tsx";
import { classNames } from "#ui/basics/class-names.ts";
import { groupsOf, type OfficeRole } from "./navigation.ts";

// Entries are lower with a mouse, so that all of them fit a laptop's screen.
const entry =
  "flex min-h-11 w-full items-center gap-3 border-l-4 px-4 text-left font-semibold transition-colors hover:bg-paper/10 lg:pointer-fine:min-h-7";

interface SideBarProps {
  role: OfficeRole;
  onLeave: () => void;
  onLogOut: () => void;
}

/** The back office's navigation. `onLeave` closes it where it covers the screen. */
export function SideBar({ role, onLeave, onLogOut }: SideBarProps) {
  const id = useId();
  const nav = useCurrentInView();
  return (
    <div className="on-ink flex h-full flex-col">
      <Head onLeave={onLeave} />
      <nav ref={nav} aria-label="Back office" className="more-below-on-ink flex-1 overflow-y-auto">
        {groupsOf(role).map(({ label, screens }) => (
          <div key={label} className="pb-1">
            <p
              id={`${id}-${label}`}
              className="px-5 pt-1.5 pb-0.5 text-xs font-semibold tracking-wide uppercase opacity-70"
            >
              {label}
            </p>
            <ul aria-labelledby={`${id}-${label}`}>
              {screens.map(({ to, label, icon: Icon }) => (
                <li key={to}>
                  <NavLink
                    to={to}
                    end={to === "/admin"}
                    onClick={onLeave}
                    className={({ isActive }) =>
                      classNames(entry, isActive ? "border-brisket bg-paper/12" : "border-transparent")
                    }
                  >
                    <Icon aria-hidden="true" className="size-5 shrink-0" />
                    {label}
                  </NavLink>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <div className="border-t border-paper/25 py-1 lg:pointer-fine:flex lg:pointer-fine:justify-between lg:pointer-fine:*:w-auto lg:pointer-fine:*:gap-1.5 lg:pointer-fine:*:px-2 lg:pointer-fine:*:text-sm lg:pointer-fine:*:whitespace-nowrap">
        <Link to="/" className={classNames(entry, "border-transparent")}>
          <ArrowLeft aria-hidden="true" className="size-5 shrink-0" />
          Back to Site
        </Link>
        <button type="button" onClick={onLogOut} className={classNames(entry, "border-transparent")}>
          <LogOut aria-hidden="true" className="size-5 shrink-0" />
          Logout
        </button>
      </div>
    </div>
  );
}

function Head({ onLeave }: Pick<SideBarProps, "onLeave">) {
  const { title } = useFestival();
  return (
    <div className="flex items-start justify-between">
      <p className="display min-w-0 px-5 pt-4 pb-3 text-xl leading-none">
        {title}
        <span className="mt-1.5 block font-text text-sm font-normal tracking-normal normal-case opacity-80">
          Back office
        </span>
      </p>
      <Button
        variant="ghost"
        size="icon"
        className="m-1 lg:hidden"
        aria-label="Close the menu"
        onClick={onLeave}
      >
        <X aria-hidden="true" />
      </Button>
    </div>
  );
}

/**
 * In a short window the current entry may be out of view. Not scrollIntoView, after which the first Tab would start behind
 * the entry.
 */
function useCurrentInView() {
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    const { current } = nav;
    const entry = current?.querySelector('[aria-current="page"]');
    if (!current || !entry) return;
    const below = entry.getBoundingClientRect().bottom - current.getBoundingClientRect().bottom;
    if (below > 0) current.scrollTop += below;
  }, []);
  return nav;
}
