import { Link } from "react-router";
import { Button } from "#ui/basics/button.tsx";

/** What an empty or refused step offers. */
export function BackToTickets() {
  return (
    <Button asChild className="mt-2">
      <Link to="/tickets">Back to Tickets</Link>
    </Button>
  );
}
