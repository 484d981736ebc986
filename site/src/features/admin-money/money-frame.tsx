// The header of every screen about money, with links between them.
import type { ReactNode } from "react";
import { NavLink } from "react-router";
import { classNames } from "#ui/basics/class-names.ts";
import { ScreenHead } from "#ui/page/screen-head.tsx";

const screens = [
  { to: "/admin/money/sales", label: "Sales" },
  { to: "/admin/money/accounts", label: "Accounts" },
  { to: "/admin/money/refunds", label: "Refund runs" },
  { to: "/admin/money/disputes", label: "Disputes" },
];

interface MoneyFrameProps {
  title: ReactNode;
  badge?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

export function MoneyFrame({ title, badge, actions, children }: MoneyFrameProps) {
  return (
    <>
      <nav aria-label="Money" className="mb-5">
        <ul className="flex flex-wrap border-2 border-ink">
          {screens.map(({ to, label }) => (
            <li key={to} className="grow basis-1/2 border-ink/30 sm:basis-0 sm:not-first:border-l">
              <NavLink
                to={to}
                end={to === "/admin/money"}
                className={({ isActive }) =>
                  classNames(
                    "flex min-h-11 items-center justify-center px-3 font-semibold",
                    isActive ? "bg-ink text-paper" : "hover:bg-paper-deep",
                  )
                }
              >
                {label}
              </NavLink>
            </li>
          ))}
        </ul>
      </nav>
      <ScreenHead title={title} badge={badge} actions={actions} />
      {children}
    </>
  );
}
