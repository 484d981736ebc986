import { cva, type VariantProps } from "class-variance-authority";
import type { ComponentProps } from "react";
import { classNames } from "./class-names.ts";

const look = cva(
  "inline-flex items-center gap-1.5 px-2.5 py-1 text-sm leading-none font-bold whitespace-nowrap",
  {
    variants: {
      tone: {
        default: "bg-ink/10 text-ink",
        highlight: "bg-slab text-white",
        success: "bg-bayou-deep text-white",
        warning: "bg-brisket text-ink",
        danger: "bg-candy-deep text-white",
      },
    },
    defaultVariants: { tone: "default" },
  },
);

export type BadgeTone = NonNullable<VariantProps<typeof look>["tone"]>;

/** A short state in one word or two. */
export function Badge({ tone, className, ...rest }: ComponentProps<"span"> & VariantProps<typeof look>) {
  return <span className={classNames(look({ tone }), className)} {...rest} />;
}
