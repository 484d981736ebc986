import type { ComponentProps } from "react";
import { classNames } from "./class-names.ts";

const tones = {
  default: "bg-ink/10 text-ink",
  highlight: "bg-slab text-white",
  success: "bg-bayou-deep text-white",
  warning: "bg-brisket text-ink",
  danger: "bg-candy-deep text-white",
};

export type BadgeTone = keyof typeof tones;

/** A state in one or two words. */
export function Badge({
  tone = "default",
  className,
  ...rest
}: ComponentProps<"span"> & { tone?: BadgeTone }) {
  const look =
    "inline-flex items-center gap-1.5 px-2.5 py-1 text-sm leading-none font-bold whitespace-nowrap";
  return <span className={classNames(look, tones[tone], className)} {...rest} />;
}
