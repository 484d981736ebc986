const kinds = [
  { label: "Performance", inks: "bg-[linear-gradient(135deg,var(--color-candy)_50%,var(--color-slab)_50%)]" },
  { label: "Food", inks: "bg-brisket" },
  { label: "Vendors", inks: "bg-bayou" },
] as const;

export function MapLegend() {
  return (
    <section
      aria-label="Legend"
      className="flex flex-wrap items-center gap-x-7 gap-y-2 border-4 border-t-0 border-ink bg-sheet px-5 py-3"
    >
      <h2 className="display text-xl">Legend</h2>
      <ul className="flex flex-wrap gap-x-3 gap-y-2 sm:gap-x-6">
        {kinds.map(({ label, inks }) => (
          <li key={label} className="flex items-center gap-2 font-semibold">
            <span
              aria-hidden="true"
              data-print="color"
              className={`size-5 border-2 border-ink forced-color-adjust-none ${inks}`}
            />
            {label}
          </li>
        ))}
      </ul>
    </section>
  );
}
