// Buttons, and links that look like them (asChild).
import {
  cloneElement,
  isValidElement,
  useEffect,
  type ComponentProps,
  type MouseEvent,
  type ReactElement,
} from "react";
import { expectToasts } from "../overlays/toast-library.ts";
import { classNames } from "./class-names.ts";
import { Spinner } from "./spinner.tsx";

const look =
  "display relative inline-flex max-w-full shrink-0 items-center justify-center gap-2 border-2 text-center font-extrabold! tracking-wide! leading-none select-none transition-[background-color,color,box-shadow,translate] duration-150 ease-press aria-disabled:cursor-not-allowed aria-disabled:opacity-55";

const variants = {
  primary: "border-candy bg-candy text-white hover:border-candy-deep hover:bg-candy-deep",
  secondary: "border-current bg-transparent hover:border-ink hover:bg-ink hover:text-paper",
  inverse: "border-paper bg-transparent text-paper hover:bg-paper hover:text-ink",
  highlight: "border-brisket bg-brisket text-ink hover:border-paper hover:bg-paper",
  dark: "border-ink bg-ink text-paper hover:bg-paper hover:text-ink",
  ghost: "border-transparent bg-transparent hover:bg-ink/8",
  danger: "border-candy-deep bg-transparent text-candy-deep hover:bg-candy-deep hover:text-white",
};

const sizes = {
  small: "min-h-9 px-3 py-1 text-base",
  medium: "min-h-12 px-5 py-1.5 text-lg",
  large: "button-large",
  icon: "size-11 p-0",
};

/** The second ink, slightly off register. */
const shadow =
  "shadow-[5px_5px_0_0_var(--color-ink)] hover:translate-x-[3px] hover:translate-y-[3px] hover:shadow-[2px_2px_0_0_var(--color-ink)]";

export interface ButtonProps extends ComponentProps<"button"> {
  variant?: keyof typeof variants;
  size?: keyof typeof sizes;
  /** As wide as its container. */
  block?: boolean;
  /** With a hard shadow, as if printed twice. */
  printed?: boolean;
  /** Render the only child (a Link, an anchor) with the button's look. */
  asChild?: boolean;
  /**
   * Shows a spinner in place of the label and ignores presses (said-busy.ts reads it out). When set, a double click counts as one
   * press, because the display lags behind the second one.
   */
  busy?: boolean;
  /** Ignores presses. It can still have the focus, which the attribute would drop. */
  disabled?: boolean | undefined;
}

export function Button({
  variant = "primary",
  size = "medium",
  block,
  printed,
  asChild,
  busy,
  disabled,
  className,
  children,
  type,
  onClick,
  ...rest
}: ButtonProps) {
  const mayFail = busy !== undefined;
  useEffect(() => {
    if (mayFail) expectToasts();
  }, [mayFail]);
  const classes = classNames(
    look,
    variants[variant],
    sizes[size],
    block && "w-full",
    printed && shadow,
    className,
  );
  if (asChild) {
    if (!isValidElement(children)) throw new Error("A button asChild has exactly one element inside");
    const child = children as ReactElement<{ className?: string }>;
    return cloneElement(child, {
      ...rest,
      ...(onClick && { onClick }),
      className: classNames(classes, child.props.className),
    });
  }
  function press(event: MouseEvent<HTMLButtonElement>) {
    // Do not submit a form either.
    if (busy || disabled || (busy === false && event.detail > 1)) event.preventDefault();
    else onClick?.(event);
  }
  return (
    <button
      type={type ?? "button"}
      className={classes}
      aria-busy={busy || undefined}
      aria-disabled={busy || disabled || undefined}
      onClick={press}
      {...rest}
    >
      <span className={classNames("inline-flex items-center gap-2", busy && "opacity-0")}>{children}</span>
      {busy && (
        <span className="absolute inset-0 grid place-items-center">
          <Spinner label={null} />
        </span>
      )}
    </button>
  );
}
