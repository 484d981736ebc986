// The bar's links for a visitor, a buyer or a staff member; empty until the session is known.
import { NavLink } from "react-router";
import { useSession } from "#lib/session/session.tsx";
import { Button } from "#ui/basics/button.tsx";
import { useLogOut } from "./use-log-out.ts";

interface AccountAreaProps {
  /** The style of links in this place. */
  linkClass: string;
  /** Longer labels, for the mobile menu. */
  spelledOut?: boolean;
}

export function AccountArea({ linkClass, spelledOut = false }: AccountAreaProps) {
  const session = useSession();
  const logOut = useLogOut();
  if (session.status === "loading") return null;
  if (session.status === "signed-out") {
    return (
      <>
        <NavLink to="/auth" className={linkClass}>
          {spelledOut ? "Login / Register" : "Login"}
        </NavLink>
        <Button asChild className="bar-offer">
          <NavLink to="/tickets">Buy Tickets</NavLink>
        </Button>
      </>
    );
  }
  return (
    <>
      {session.role === "admin" && (
        <NavLink to="/admin" className={linkClass}>
          {spelledOut ? "Admin Dashboard" : "Admin"}
        </NavLink>
      )}
      {session.role === "finance" && (
        <NavLink to="/admin/orders" className={linkClass}>
          Back Office
        </NavLink>
      )}
      {/* Not a NavLink: the gate is a separate document, with a content policy that lets it decode pictures. */}
      {session.role === "gate" && (
        <a href="/gate" className={linkClass}>
          Gate
        </a>
      )}
      {session.role === "gate" && session.sellsAtDoor && (
        <NavLink to="/admin/door" className={linkClass}>
          Door<span className={spelledOut ? undefined : "max-xl:hidden"}> Sales</span>
        </NavLink>
      )}
      <NavLink to="/dashboard" className={linkClass}>
        My Account
      </NavLink>
      <Button variant="secondary" onClick={logOut}>
        Logout
      </Button>
    </>
  );
}
