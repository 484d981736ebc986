import { Link } from "react-router";
import { Button } from "#ui/basics/button.tsx";
import { Boots } from "#ui/art/boots.tsx";

export function NotFoundScreen() {
  return (
    <section
      data-top="light"
      className="relative isolate grid min-h-[max(38rem,100svh)] items-center overflow-hidden bg-brisket pt-24 pb-16"
    >
      <div aria-hidden="true" className="sunburst absolute inset-0 -z-10" />
      <div className="page-width grid items-center gap-8 md:grid-cols-[1fr_auto]">
        <div>
          <p className="display overprint text-poster text-candy">404</p>
          <h1 className="display mt-4 text-title">Page Not Found</h1>
          <p className="mt-3 max-w-md text-lead">
            The page you are looking for doesn't exist or has been moved.
          </p>
          <Button asChild size="large" printed className="mt-7">
            <Link to="/">Go Back Home</Link>
          </Button>
        </div>
        <Boots className="w-full max-w-sm md:w-[26rem]" />
      </div>
    </section>
  );
}
