// Shown in place of a public page that threw. It loads no further file, because a failed fetch may be the
// reason it is shown.
import { useEffect } from "react";
import { useRouteError } from "react-router";
import { logError } from "#lib/browser/error-log.ts";
import { useFestival } from "#lib/festival/content.ts";
import { Button } from "#ui/basics/button.tsx";

export function BrokenPage() {
  const error = useRouteError();
  const { contact } = useFestival();
  useEffect(() => logError("show a page", error), [error]);
  return (
    <section data-top="light" className="relative isolate overflow-hidden bg-brisket">
      <div aria-hidden="true" className="sunburst absolute inset-0 -z-10" />
      <div role="alert" className="page-width flex min-h-svh flex-col items-start justify-center gap-5 py-28">
        <h1 className="display text-headline">The record skipped</h1>
        <p className="max-w-md text-lead">
          Something went wrong on this page, not with your tickets. Reload it. If that does not help, write to{" "}
          <a className="underline underline-offset-4" href={`mailto:${contact.email}`}>
            {contact.email}
          </a>
          .
        </p>
        <div className="flex flex-wrap gap-4">
          <Button size="large" printed onClick={() => location.reload()}>
            Reload
          </Button>
          <Button asChild size="large" variant="secondary">
            <a href="/">Go Back Home</a>
          </Button>
        </div>
      </div>
    </section>
  );
}
