import type { ReactNode } from "react";
import { useFestival } from "#lib/festival/content.ts";

/** A form that only script can send. Without script, the browser would put the entries into the URL, or do nothing. */
export function FormWithScript({ children }: { children: ReactNode }) {
  const { email } = useFestival().contact;
  return (
    <>
      <noscript>
        <p className="max-w-prose border-l-8 border-brisket pl-4 text-lead">
          This form needs JavaScript. Turn it on in your browser and reload the page, or write to{" "}
          <a href={`mailto:${email}`} className="font-semibold underline underline-offset-4">
            {email}
          </a>
          .
        </p>
      </noscript>
      <div data-needs-script="">{children}</div>
    </>
  );
}
