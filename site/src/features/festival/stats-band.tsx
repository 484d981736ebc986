import { useSection } from "#lib/festival/content.ts";

export function StatsBand() {
  const { stats } = useSection("home");
  if (stats.length === 0) return null;
  return (
    <section aria-label="The festival in numbers" className="on-ink">
      <ul className="page-width grid grid-cols-2 pt-3 pb-10 lg:grid-cols-4">
        {stats.map(({ figure, label }) => (
          <li
            key={label}
            className="display flex flex-col border-b-2 border-paper/25 py-4 pr-3 max-lg:nth-last-[-n+2]:border-b-0 lg:border-b-0 lg:border-l-2 lg:px-6 lg:first:border-l-0 lg:first:pl-0"
          >
            <span className="text-headline text-brisket">{figure}</span>
            <span className="text-heading">{label}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
