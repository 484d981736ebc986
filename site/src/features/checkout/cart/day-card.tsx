import { useFestival, useSection } from "#lib/festival/content.ts";
import { useCart } from "./cart-provider.tsx";

/** The day at a glance, in place of an empty cart. */
export function DayCard() {
  const festival = useFestival();
  const { at_a_glance: facts } = useSection("tickets");
  const empty = useCart().items.length === 0;
  if (!empty) return null;
  return (
    <section aria-label="The day at a glance" className="bg-slab p-6 text-paper max-lg:hidden print:hidden">
      <p className="display text-title text-brisket">{festival.dateText.replace(/, \d{4}$/, "")}</p>
      <p className="display mt-1 text-heading">{festival.hoursText}</p>
      <ul className="mt-5 border-t-2 border-paper/30 [&>li]:border-b-2 [&>li]:border-paper/30 [&>li]:py-2.5">
        {facts.map((fact) => (
          <li key={fact}>{fact}</li>
        ))}
      </ul>
      <p className="mt-5 max-w-[13rem] font-semibold">Your cart appears here when you add a ticket.</p>
    </section>
  );
}
