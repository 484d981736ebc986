// Joins class names. It adds and never overrides (tailwind-merge would cost the home page 8 kB):
// what a caller may change is a variant of the component, and a caller's class only places it.
export { clsx as classNames } from "clsx";
