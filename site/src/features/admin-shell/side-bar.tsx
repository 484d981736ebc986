import { ArrowLeft, LogOut } from "lucide-react";
import { Link, NavLink } from "react-router";
import { useFestival } from "#lib/festival/content.ts";
import { classNames } from "#ui/basics/class-names.ts";
import { screensOf, type OfficeRole } from "./navigation.ts";

const entry =
  "flex min-h-11 w-full items-center gap-3 border-l-4 px-4 text-left font-semibold transition-colors hover:bg-paper/10";

interface SideBarProps {
  role: OfficeRole;
  onLeave: () => void;
  onLogOut: () => void;
}

/** The back office's navigation. `onLeave` closes it where it covers the screen. */
export function SideBar({ role, onLeave, onLogOut }: SideBarProps) {
  const { title } = useFestival();
  return (
    <div className="on-ink flex h-full flex-col">
      <p className="display px-5 pt-5 pb-4 text-xl leading-none">
        {title}
        <span className="mt-1.5 block font-text text-sm font-normal tracking-normal normal-case opacity-80">
          Back office
        </span>
      </p>
      <nav aria-label="Back office" className="flex-1 overflow-y-auto">
        <ul>
          {screensOf(role).map(({ to, label, icon: Icon }) => (
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
      </nav>
      <div className="border-t border-paper/25 py-2">
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
