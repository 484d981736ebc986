import type { ReactNode } from "react";
import { festival } from "contract/festival";

/** A form that only script can send: without script the browser would put the entries into the address, or do nothing. */
export function FormWithScript({ children }: { children: ReactNode }) {
  return (
    <>
      <noscript>
        <p className="max-w-prose border-l-8 border-brisket pl-4 text-lead">
          This form needs JavaScript. Switch it on in your browser and load the page again, or write to{" "}
          <a href={`mailto:${festival.contact.email}`} className="font-semibold underline underline-offset-4">
            {festival.contact.email}
          </a>
          .
        </p>
      </noscript>
      <div data-needs-script="">{children}</div>
    </>
  );
}
