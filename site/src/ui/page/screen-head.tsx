import type { ReactNode } from "react";

interface ScreenHeadProps {
  title: ReactNode;
  /** To the right of the title. */
  badge?: ReactNode;
  actions?: ReactNode;
}

/** The header of a back office screen, quieter than a page's. */
export function ScreenHead({ title, badge, actions }: ScreenHeadProps) {
  return (
    <header className="mb-5 flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h1 className="display text-screen">{title}</h1>
        {badge}
      </div>
      {actions && <div className="flex flex-wrap items-center gap-3">{actions}</div>}
    </header>
  );
}
