// Text controls: Input, Textarea and the native Select. A surrounding Field labels them.
import { ChevronDown } from "lucide-react";
import { type ComponentProps, useEffect } from "react";
import { classNames } from "../basics/class-names.ts";
import { useFieldControl } from "./field.tsx";

const control = classNames(
  "w-full min-w-0 rounded-none border-2 border-ink bg-sheet px-3.5 text-base text-ink placeholder:text-ink-soft/80",
  "transition-shadow duration-150 focus:shadow-[4px_4px_0_0_var(--color-brisket)] focus-visible:outline-offset-0",
  "aria-invalid:border-candy-deep disabled:cursor-not-allowed disabled:bg-paper-deep [&[readonly]]:bg-paper-deep/50",
);

interface Density {
  /** For table rows and filters. */
  dense?: boolean;
}

export function Input({ className, dense, ...rest }: ComponentProps<"input"> & Density) {
  const isNumber = rest.type === "number";
  useEffect(() => {
    if (!isNumber) return;
    // A wheel over a focused number would change it. Without the focus, it scrolls the page.
    document.addEventListener("wheel", leaveNumber, { capture: true, passive: true });
    return () => document.removeEventListener("wheel", leaveNumber, { capture: true });
  }, [isNumber]);
  return (
    <input
      {...useFieldControl()}
      className={classNames(control, dense ? "h-10" : "h-12", className)}
      {...rest}
    />
  );
}

function leaveNumber({ target }: Event): void {
  if (target instanceof HTMLInputElement && target.type === "number" && target === document.activeElement)
    target.blur();
}

export function Textarea({ className, rows = 5, ...rest }: ComponentProps<"textarea">) {
  return (
    <textarea
      {...useFieldControl()}
      rows={rows}
      className={classNames(control, "py-2.5 leading-normal", className)}
      {...rest}
    />
  );
}

export function Select({ className, dense, children, ...rest }: ComponentProps<"select"> & Density) {
  return (
    <span className={classNames("relative block", className)}>
      <select
        {...useFieldControl()}
        className={classNames(control, "appearance-none pr-11", dense ? "h-10" : "h-12")}
        {...rest}
      >
        {children}
      </select>
      <ChevronDown
        aria-hidden="true"
        className="pointer-events-none absolute top-1/2 right-3 size-5 -translate-y-1/2"
      />
    </span>
  );
}
