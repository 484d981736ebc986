import { Link } from "react-router";

const look = "font-semibold underline underline-offset-4 hover:text-candy-deep";

/** Shown next to a button that commits the user. Its links open a new tab, so entries and the hold stay. */
export function TermsNote({ doing, className }: { doing: string; className?: string }) {
  return (
    <p className={className}>
      By {doing}, you agree to the{" "}
      <Link to="/terms" target="_blank" className={look}>
        terms of sale
      </Link>
      . Our{" "}
      <Link to="/privacy" target="_blank" className={look}>
        privacy notice
      </Link>{" "}
      says what we keep about you.
    </p>
  );
}
