import { Link } from "react-router";
import { useSection } from "#lib/festival/content.ts";
import { Button } from "#ui/basics/button.tsx";
import { Speakers } from "#ui/art/speakers.tsx";

export function CallToAction() {
  const { join_title: title, join_lead: lead } = useSection("home");
  return (
    <section aria-labelledby="join-us" className="relative isolate overflow-hidden bg-candy text-white">
      <div aria-hidden="true" className="sunburst-corner absolute inset-0 -z-10" />
      <div className="page-width grid items-end gap-x-10 lg:grid-cols-[1fr_auto]">
        <div className="py-20 lg:py-28">
          <h2 id="join-us" className="display text-headline max-w-[9em]">
            {title}
          </h2>
          <p className="mt-5 max-w-lg text-lead font-semibold">{lead}</p>
          <div className="mt-8 flex flex-wrap gap-4">
            <Button asChild size="large" variant="highlight">
              <Link to="/tickets">Buy Tickets</Link>
            </Button>
            <Button asChild size="large" variant="inverse">
              <Link to="/vendors">Become a Vendor</Link>
            </Button>
          </div>
        </div>
        <Speakers className="mx-auto -mb-1 w-60 max-lg:hidden lg:w-90" />
      </div>
    </section>
  );
}
