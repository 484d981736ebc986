import { Link } from "react-router";
import { Button } from "#ui/basics/button.tsx";

/** The button on an empty or refused step. */
export function BackToTickets() {
  return (
    <Button asChild className="mt-2">
      <Link to="/tickets">Back to Tickets</Link>
    </Button>
  );
}
