import type { ReactNode } from "react";
import { classNames } from "../basics/class-names.ts";

interface PageHeaderProps {
  title: ReactNode;
  /** A short line above the title. */
  eyebrow?: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
  className?: string;
}

/** The header of a plain page: one h1, an optional lead and actions. */
export function PageHeader({ title, eyebrow, children, actions, className }: PageHeaderProps) {
  return (
    <header
      className={classNames(
        "flex flex-wrap items-end justify-between gap-x-10 gap-y-5 border-b-4 border-ink pb-6",
        className,
      )}
    >
      <div className="min-w-0">
        {eyebrow && <p className="display mb-2 text-xl font-bold! text-candy-deep">{eyebrow}</p>}
        <h1 className="display text-title">{title}</h1>
        {children && <div className="mt-3 max-w-prose text-lead">{children}</div>}
      </div>
      {actions && <div className="flex flex-wrap gap-3">{actions}</div>}
    </header>
  );
}
