// An email address in a narrow place: it prefers to wrap after the @ or before a dot, and breaks inside a word only when a part is
// wider than the line.
import { Fragment } from "react";
import { classNames } from "./class-names.ts";

export function EmailText({ className, children }: { className?: string; children: string }) {
  return (
    <span className={classNames("wrap-anywhere", className)}>
      {(children.match(/\.?[^.@]+@?|./g) ?? []).map((part, index) => (
        // Parts may be equal; only their places differ.
        <Fragment key={index}>
          {index > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </span>
  );
}
