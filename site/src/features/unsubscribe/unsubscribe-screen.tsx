// /unsubscribe#…: ends the organizers' messages to one address, on a press: programs that open every link of a mail must not. The
// token is in the fragment, which no server and no log sees.
import { useEffect, useRef } from "react";
import { Link, useLocation } from "react-router";
import { useHydrated } from "#lib/browser/hydrated.ts";
import { useFestival } from "#lib/festival/content.ts";
import { Button } from "#ui/basics/button.tsx";
import { PageHeader } from "#ui/page/page-header.tsx";
import { ErrorState } from "#ui/page/screen-states.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";
import { useChangeOptOut, useOptOut } from "./queries.ts";

export function UnsubscribeScreen() {
  const { hash } = useLocation();
  if (!useHydrated()) return <Loading />;
  const token = /^#([0-9a-f]+)$/.exec(hash)?.[1];
  return token === undefined ? <UnknownLink /> : <OptOut key={token} token={token} />;
}

function OptOut({ token }: { token: string }) {
  const { data, error, isPending, refetch } = useOptOut(token);
  if (isPending) return <Loading />;
  if (!data) {
    return (
      <>
        <PageHeader title="Unsubscribe" />
        <ErrorState className="mt-8" title={error.message} onRetry={() => void refetch()} />
      </>
    );
  }
  if (data.state === "unknown") return <UnknownLink />;
  return <Choice token={token} isOut={data.state === "opted_out"} />;
}

function Choice({ token, isOut }: { token: string; isOut: boolean }) {
  const { title, contact } = useFestival();
  const change = useChangeOptOut(token);
  // The outcome of the press is read out, and Tab continues from it.
  const head = useRef<HTMLDivElement>(null);
  const changed = change.data;
  useEffect(() => {
    if (changed) head.current?.focus({ preventScroll: true });
  }, [changed]);
  return (
    <>
      <div ref={head} tabIndex={-1} role="status" className="outline-none">
        <PageHeader
          title={isOut ? "You're Unsubscribed" : changed ? "You're Subscribed Again" : "Unsubscribe"}
        >
          {isOut
            ? "We won't send you the organizers' messages anymore."
            : changed
              ? "You'll get the organizers' messages again."
              : `Stop getting the organizers' messages about ${title}?`}
        </PageHeader>
      </div>
      <p className="mt-8 max-w-prose">
        {isOut ? "You'll still get" : "Without them, you'll still get"} emails about your orders and tickets,
        and one if the festival is canceled or rescheduled. This applies only to the email address the link
        was sent to.
      </p>
      {change.isError && (
        <ErrorState className="mt-6 p-4!" title="That did not work.">
          {change.error.message} You can also write to{" "}
          <a href={`mailto:${contact.email}`} className="underline underline-offset-4">
            {contact.email}
          </a>
          .
        </ErrorState>
      )}
      <div className="mt-8 flex flex-wrap gap-4">
        <Button
          size="large"
          variant={isOut ? "secondary" : "primary"}
          busy={change.isPending}
          onClick={() => change.mutate(isOut)}
        >
          {isOut ? "Send Them Again" : "Unsubscribe"}
        </Button>
        <HomeLink />
      </div>
    </>
  );
}

function UnknownLink() {
  const { contact } = useFestival();
  return (
    <>
      <PageHeader title="Link Not Found">
        This link is not complete, or not one of ours. Please open it from the email again, or write to{" "}
        <a href={`mailto:${contact.email}`} className="wrap-anywhere underline underline-offset-4">
          {contact.email}
        </a>
        .
      </PageHeader>
      <div className="mt-8">
        <HomeLink />
      </div>
    </>
  );
}

const HomeLink = () => (
  <Button asChild variant="secondary" size="large">
    <Link to="/">Go to the Home Page</Link>
  </Button>
);

function Loading() {
  return (
    <div role="status" data-needs-script="">
      <span className="sr-only">Loading</span>
      <Skeleton className="h-20 max-w-xl" />
      <Skeleton className="mt-10 h-40" />
    </div>
  );
}
