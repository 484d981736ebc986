import { Search } from "lucide-react";
import type { ComponentProps } from "react";
import { Input } from "../forms/input.tsx";

/** A search above a list; `aria-label` names it. */
export function SearchField({ className, ...rest }: ComponentProps<"input"> & { "aria-label": string }) {
  return (
    <span className={`relative block min-w-0 grow-4 basis-96 ${className ?? ""}`}>
      <Search
        aria-hidden="true"
        className="pointer-events-none absolute top-1/2 left-3 size-4.5 -translate-y-1/2 text-ink-soft"
      />
      <Input type="search" dense className="pl-10!" {...rest} />
    </span>
  );
}
