import { cva, type VariantProps } from "class-variance-authority";
import type { ComponentProps } from "react";
import { classNames } from "../basics/class-names.ts";

const look = cva("min-w-0", {
  variants: {
    tone: {
      sheet: "border-2 border-ink bg-sheet",
      deep: "bg-paper-deep",
      ink: "on-ink",
      warning: "border-2 border-ink bg-brisket",
      outline: "border-2 border-ink/25",
    },
    padding: { none: "", medium: "p-5 sm:p-7", small: "p-4" },
  },
  defaultVariants: { tone: "sheet", padding: "medium" },
});

/** A sheet lying on the page. */
export function Card({
  tone,
  padding,
  className,
  ...rest
}: ComponentProps<"div"> & VariantProps<typeof look>) {
  return <div className={classNames(look({ tone, padding }), className)} {...rest} />;
}

export function CardTitle({
  as: Heading = "h2",
  className,
  ...rest
}: ComponentProps<"h2"> & { as?: "h2" | "h3" | "h4" }) {
  return <Heading className={classNames("display text-heading", className)} {...rest} />;
}
