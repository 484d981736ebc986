import { Link } from "react-router";
import { useFestival } from "#lib/festival/content.ts";

/** The festival's mark: a sun over the bayou, and its name set tight. */
export function Brand() {
  const festival = useFestival();
  const [city, ...rest] = festival.title.split(" ");
  return (
    <Link
      to="/"
      className="flex min-w-0 items-center gap-2.5 lg:shrink-0"
      aria-label={`${festival.title}, home`}
    >
      <svg viewBox="0 0 48 48" className="size-11 shrink-0" aria-hidden="true">
        <circle cx="24" cy="24" r="24" className="fill-candy" />
        <path
          d="M24 2v12M9 8l7 9M39 8l-7 9M2 21l11 3M46 21l-11 3"
          strokeWidth="4"
          className="stroke-brisket"
        />
        <circle cx="24" cy="27" r="10" className="fill-brisket" />
        <path d="M2 29h44a22 22 0 0 1-44 0Z" className="fill-ink" />
        <path d="M8 34h19m6 0h7M13 40h9m6 0h7" strokeWidth="2.5" className="stroke-brisket" />
      </svg>
      <span className="display max-w-[min(13rem,55vw)] min-w-0 overflow-clip text-[min(1.35rem,7.2vw)] leading-[0.86] whitespace-nowrap">
        {city}
        <br />
        <span className="text-[0.756em] tracking-[0.012em]">{rest.join(" ")}</span>
      </span>
    </Link>
  );
}
