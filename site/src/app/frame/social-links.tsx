// Placeholders: the three social links lead nowhere yet, and their labels say so.
const marks = [
  { name: "Instagram", path: "M4 4h16v16H4zM17 7h.5M16 12a4 4 0 1 1-8 0 4 4 0 0 1 8 0Z" },
  { name: "Facebook", path: "M14 21v-8h3l.5-4H14V7q0-2 2-2h2M14 9h-4m4 4h-4" },
  { name: "X", path: "M4 4l16 16M20 4 4 20" },
] as const;

export function SocialLinks() {
  return (
    <ul className="mt-5 flex gap-3">
      {marks.map(({ name, path }) => (
        <li key={name}>
          <a
            href="#"
            onClick={(event) => event.preventDefault()}
            aria-label={`${name} (coming soon)`}
            className="grid size-11 place-items-center border-2 border-paper hover:border-brisket hover:bg-brisket hover:text-ink"
          >
            <svg
              viewBox="0 0 24 24"
              className="size-5.5"
              fill="none"
              stroke="currentColor"
              strokeWidth="2.5"
              aria-hidden="true"
            >
              <path d={path} />
            </svg>
          </a>
        </li>
      ))}
    </ul>
  );
}
