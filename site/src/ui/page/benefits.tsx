import { classNames } from "../basics/class-names.ts";
import { Reveal } from "./reveal.tsx";

interface BenefitsProps {
  id: string;
  title: string;
  benefits: readonly { title: string; text: string }[];
  /** How many are side by side on a wide screen. */
  columns: 3 | 4;
}

/** A page section that lists benefits. */
export function Benefits({ id, title, benefits, columns }: BenefitsProps) {
  return (
    <section aria-labelledby={id} className="page-width py-16 lg:py-24">
      <h2 id={id} className="display text-title text-candy">
        {title}
      </h2>
      <Reveal
        as="ul"
        stagger
        className={classNames(
          "mt-8 grid gap-x-10 gap-y-8",
          columns === 3 ? "md:grid-cols-3" : "sm:grid-cols-2 lg:grid-cols-4",
        )}
      >
        {benefits.map((benefit) => (
          <li key={benefit.title} className="border-t-4 border-ink pt-4">
            <h3 className="display text-heading">{benefit.title}</h3>
            <p className="mt-2">{benefit.text}</p>
          </li>
        ))}
      </Reveal>
    </section>
  );
}
