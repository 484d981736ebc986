import { useEffect, useRef } from "react";
import { Spinner } from "#ui/basics/spinner.tsx";
import { announce } from "#ui/overlays/announce.ts";

/**
 * What happens between the bank's decision and the order. Announced; and it takes the focus that the bank's page or dialog has
 * dropped.
 */
export function Finishing({ className, children }: { className: string; children: string }) {
  const line = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    announce(children);
    if (document.activeElement === document.body) line.current?.focus({ preventScroll: true });
  }, [children]);
  return (
    <p
      ref={line}
      tabIndex={-1}
      className={`flex items-center gap-4 text-lg font-semibold outline-none ${className}`}
    >
      <Spinner label={null} />
      {children}
    </p>
  );
}
