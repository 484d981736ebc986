// An email address in a narrow place: it prefers to wrap after the @.
import { classNames } from "./class-names.ts";

export function EmailText({ className, children }: { className?: string; children: string }) {
  const at = children.indexOf("@") + 1;
  return (
    <span className={classNames("wrap-anywhere", className)}>
      {children.slice(0, at)}
      {at > 0 && <wbr />}
      {children.slice(at)}
    </span>
  );
}
