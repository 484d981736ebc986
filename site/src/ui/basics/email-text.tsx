// An email address in a narrow place: it wraps after the @ before it wraps anywhere else.
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
