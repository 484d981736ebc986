import type { ComponentProps } from "react";
import { classNames } from "../basics/class-names.ts";

const tones = {
  sheet: "border-2 border-ink bg-sheet",
  deep: "bg-paper-deep",
  ink: "on-ink",
  warning: "border-2 border-ink bg-brisket",
  outline: "border-2 border-ink/25",
};

const paddings = { none: "", medium: "p-5 sm:p-7", small: "p-4" };

interface CardProps extends ComponentProps<"div"> {
  tone?: keyof typeof tones;
  padding?: keyof typeof paddings;
}

/** A sheet on the page. */
export function Card({ tone = "sheet", padding = "medium", className, ...rest }: CardProps) {
  return <div className={classNames("min-w-0", tones[tone], paddings[padding], className)} {...rest} />;
}

export function CardTitle({
  as: Heading = "h2",
  className,
  ...rest
}: ComponentProps<"h2"> & { as?: "h2" | "h3" | "h4" }) {
  return <Heading className={classNames("display text-heading", className)} {...rest} />;
}
