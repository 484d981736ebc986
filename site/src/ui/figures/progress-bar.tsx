import type { ComponentProps } from "react";
import { classNames } from "../basics/class-names.ts";

/** A progress bar in the site's ink: browsers draw theirs green or blue, whatever accent they are given. */
export function ProgressBar({ className, ...props }: ComponentProps<"progress">) {
  return (
    <progress
      {...props}
      className={classNames(
        "appearance-none border border-ink/60 bg-paper-deep forced-color-adjust-none",
        "[&::-moz-progress-bar]:bg-slab [&::-webkit-progress-bar]:bg-paper-deep [&::-webkit-progress-value]:bg-slab",
        className,
      )}
    />
  );
}
