// Joins class names without resolving conflicts (tailwind-merge would cost the home page 8 kB): a component offers its
// variants as props, and a caller's class only positions it.
export { clsx as classNames } from "clsx";
