import { classNames } from "./class-names.ts";

/** A turning ring. `label` is announced; pass null where something else already announces it. */
export function Spinner({ label = "Loading", className }: { label?: string | null; className?: string }) {
  return (
    <span role={label ? "status" : undefined} className={classNames("inline-flex", className)}>
      <svg viewBox="0 0 24 24" className="size-[1.25em] animate-spin" fill="none" aria-hidden="true">
        <circle cx="12" cy="12" r="9" stroke="currentColor" strokeOpacity="0.25" strokeWidth="4" />
        <path d="M21 12a9 9 0 0 0-9-9" stroke="currentColor" strokeWidth="4" />
      </svg>
      {label && <span className="sr-only">{label}</span>}
    </span>
  );
}
