// A visitor who comes to checkout while there is a line takes a place first, and signs in while waiting or afterwards.
// While no one waits, this costs one quick request.
import { useEffect, useState, type ReactNode } from "react";
import { Link } from "react-router";
import { logError } from "#lib/browser/error-log.ts";
import { Button } from "#ui/basics/button.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";
import type { WaitingRoomAnswer } from "contract/shop/waiting-room";
import { forgetVisitorPlace, isLostPlace, visitWaitingRoom } from "./waiting-line.ts";
import { WaitingRoom } from "./waiting-room.tsx";

/** Renders its children once the visitor need not wait. */
export function RoomBeforeSignIn({ children }: { children: ReactNode }) {
  const [first, setFirst] = useState<WaitingRoomAnswer>();
  const [goOn, setGoOn] = useState(false);

  useEffect(() => {
    let current = true;
    firstVisit().then(
      (answer) => {
        if (!current) return;
        if (answer.admitted) setGoOn(true);
        else setFirst(answer);
      },
      (error: unknown) => {
        logError("ask at the waiting room", error);
        // The order itself will report the problem.
        if (current) setGoOn(true);
      },
    );
    return () => {
      current = false;
    };
  }, []);

  if (goOn) return children;
  if (!first) {
    return (
      <div role="status">
        <span className="sr-only">Loading checkout</span>
        <Skeleton className="h-20 max-w-xl" />
        <Skeleton className="mt-10 h-80" />
      </div>
    );
  }
  return (
    <div className="mx-auto max-w-3xl">
      <h1 className="display mb-8 text-title">Checkout</h1>
      <WaitingRoom first={first} signedIn={false} onAdmitted={() => setGoOn(true)}>
        <div className="mt-5 flex flex-wrap items-center gap-x-4 gap-y-3">
          <Button asChild variant="highlight">
            <Link to="/auth?mode=code" state={{ from: "/checkout" }}>
              Sign In While You Wait
            </Link>
          </Button>
          <p className="min-w-0 flex-1 basis-56">
            You need an account to buy. You keep your place when you sign in.
          </p>
        </div>
      </WaitingRoom>
    </div>
  );
}

/** Replaces a place from an earlier day. */
async function firstVisit(): Promise<WaitingRoomAnswer> {
  try {
    return await visitWaitingRoom(false);
  } catch (error) {
    if (!isLostPlace(error)) throw error;
    forgetVisitorPlace();
    return visitWaitingRoom(false);
  }
}
