import { Link } from "react-router";
import { Button } from "#ui/basics/button.tsx";
import { ScreenHead } from "#ui/page/screen-head.tsx";

/** For an unknown address below /admin. The dashboard's address leads each role to its own first screen. */
export function NotFoundScreen() {
  return (
    <>
      <ScreenHead title="Page Not Found" />
      <p className="max-w-prose">The back office has no page at this address.</p>
      <Button asChild size="small" className="mt-5">
        <Link to="/admin">Go to the Dashboard</Link>
      </Button>
    </>
  );
}
