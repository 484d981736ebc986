// The waitlist on a sold-out ticket type's card: how to join, the buyer's position, and the held units.
import { useState, type ReactNode } from "react";
import { Link } from "react-router";
import { waitlistLimit } from "contract/shop/sale";
import { count, formatZonedMoment } from "#lib/format.ts";
import { Button } from "#ui/basics/button.tsx";
import { Field, FieldError } from "#ui/forms/field.tsx";
import { Select } from "#ui/forms/input.tsx";
import { LateAlertDialog } from "#ui/overlays/late-alert-dialog.tsx";
import { useJoin, useLeave, type Place, type useWaitlist } from "./queries.ts";

interface WaitlistBoxProps {
  typeId: string;
  typeName: string;
  /** The buyer's own, if they have one. */
  place: Place | undefined;
  isSignedIn: boolean;
  /** Units on sale to this buyer now. */
  available: number;
  /** The read of the buyer's places, until it is known whether they have one. */
  unread: Pick<ReturnType<typeof useWaitlist>, "isError" | "refetch"> | undefined;
}

export function WaitlistBox({ typeId, typeName, place, isSignedIn, available, unread }: WaitlistBoxProps) {
  return (
    <div className="border-t-2 border-dashed border-ink p-5 sm:px-6">
      {unread ? (
        <Unread read={unread} />
      ) : !isSignedIn ? (
        <p>
          <Link
            to="/auth"
            state={{ from: "/tickets" }}
            className="font-semibold underline underline-offset-4 hover:text-candy-deep"
          >
            Sign in to join the waitlist
          </Link>
          , and we'll email you when tickets free up.
        </p>
      ) : place && place.state !== "expired" ? (
        <OwnPlace place={place} available={available} />
      ) : (
        <JoinForm typeId={typeId} typeName={typeName} hasExpired={place !== undefined} />
      )}
    </div>
  );
}

function Unread({ read }: { read: NonNullable<WaitlistBoxProps["unread"]> }) {
  if (!read.isError) return <p role="status">Looking up your place on the waitlist…</p>;
  return (
    <p role="alert">
      Your place on the waitlist could not be loaded.{" "}
      <button
        type="button"
        className="min-h-6 font-semibold underline underline-offset-4"
        onClick={() => void read.refetch()}
      >
        Try Again
      </button>
    </p>
  );
}

function OwnPlace({ place, available }: { place: Place; available: number }) {
  const leave = useLeave();
  const [isAsked, setIsAsked] = useState(false);
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <div role="status" className="min-w-0 flex-1 basis-60">
          {said[place.state as keyof typeof said](place, available)}
        </div>
        {place.state !== "claimed" && (
          <Button
            variant="secondary"
            size="small"
            busy={leave.isPending}
            aria-label={`Leave the Waitlist for ${place.name}`}
            onClick={() => setIsAsked(true)}
          >
            Leave the Waitlist
          </Button>
        )}
      </div>
      <LateAlertDialog
        open={isAsked}
        onOpenChange={setIsAsked}
        title="Leave the waitlist?"
        confirmLabel="Leave the Waitlist"
        cancelLabel="Keep My Place"
        destructive
        onConfirm={() => leave.mutate(place.id)}
      >
        {place.state === "offered" ? "The held tickets go to the next person in line. " : ""}You can join
        again, at the end of the line.
      </LateAlertDialog>
      {leave.error && <FieldError>{leave.error.message}</FieldError>}
    </>
  );
}

const said: Record<"waiting" | "offered" | "claimed", (place: Place, available: number) => ReactNode> = {
  waiting: ({ ahead, quantity }, available) => (
    <>
      <p className="font-semibold">
        {available > 0 && `${count(available, "more ticket")} can be bought now. `}
        You are number {(ahead + 1).toLocaleString("en-US")} in line for {count(quantity, "ticket")}.
      </p>
      <p className="text-ink-soft">
        {available > 0
          ? "Choose above if you don't want to wait. If you buy, leave the waitlist, or you'll be offered tickets again."
          : "We'll email you as soon as it's your turn. You don't need to stay here."}
      </p>
    </>
  ),
  offered: ({ offered, quantity, offer_expires_at }) => (
    <>
      <p className="font-semibold">
        {offered === 1 ? "1 ticket is" : `${offered} tickets are`} held for you until{" "}
        {formatZonedMoment(offer_expires_at)}.
      </p>
      <p className="text-ink-soft">
        Choose {offered === 1 ? "it" : "them"} above and check out.
        {offered < quantity && ` You asked for ${quantity}, so you stay first in line for the rest.`}
      </p>
    </>
  ),
  claimed: () => (
    <p className="font-semibold">
      Your waitlist tickets are in an unpaid order.{" "}
      <Link to="/checkout" className="underline underline-offset-4 hover:text-candy-deep">
        Continue to payment
      </Link>
    </p>
  ),
};

interface JoinFormProps {
  typeId: string;
  typeName: string;
  hasExpired: boolean;
}

function JoinForm({ typeId, typeName, hasExpired }: JoinFormProps) {
  const join = useJoin();
  const [quantity, setQuantity] = useState(1);
  return (
    <form
      aria-label={`Waitlist for ${typeName}`}
      onSubmit={(event) => {
        event.preventDefault();
        if (!join.isPending) join.mutate({ typeId, quantity });
      }}
    >
      <p>
        {hasExpired ? "Your time to buy has run out. " : ""}
        If tickets free up, we'll email the waitlist first, in order.
      </p>
      <div className="mt-3 flex flex-wrap items-end gap-3">
        <Field label="Tickets">
          <Select dense value={quantity} onChange={(event) => setQuantity(Number(event.target.value))}>
            {Array.from({ length: waitlistLimit }, (_, index) => (
              <option key={index} value={index + 1}>
                {index + 1}
              </option>
            ))}
          </Select>
        </Field>
        <Button type="submit" size="small" variant="dark" busy={join.isPending} className="min-h-10">
          {hasExpired ? "Join Again" : "Join the Waitlist"}
        </Button>
      </div>
      {join.error && <FieldError>{join.error.message}</FieldError>}
    </form>
  );
}
