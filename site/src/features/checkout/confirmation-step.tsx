import { Check } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { EmailText } from "#ui/basics/email-text.tsx";
import { Slab } from "#ui/art/slab.tsx";
import { Button } from "#ui/basics/button.tsx";
import { Card } from "#ui/page/card.tsx";
import type { Paid } from "./cart/record.ts";
import { refundWords } from "./finish-payment.ts";

/** The last step: the outcome of the payment. */
export function ConfirmationStep({ result, orderId, email, reason, isCartLeft }: Paid) {
  if (result === "refunded") {
    return (
      <Card tone="warning">
        <h2 tabIndex={-1} className="display text-title outline-none">
          Your Payment Is Being Refunded
        </h2>
        <p className="mt-4 max-w-prose text-lead">
          {refundWords(reason)} Your bank may take a few days to show it.
        </p>
        <DashboardButton text="Go to Dashboard" />
      </Card>
    );
  }
  return (
    <div className="relative isolate overflow-hidden border-4 border-ink bg-brisket px-5 pt-12 text-center">
      <div
        aria-hidden="true"
        className="absolute top-16 left-1/2 -z-10 aspect-square w-[34rem] max-w-[110%] -translate-x-1/2 rounded-full bg-candy"
      >
        <div className="halftone absolute inset-0 rounded-full text-brisket opacity-60" />
      </div>
      <span
        aria-hidden="true"
        className="mx-auto grid size-16 -rotate-6 place-items-center bg-ink text-brisket"
      >
        <Check className="size-11" strokeWidth={4} />
      </span>
      <h2 tabIndex={-1} className="display mt-6 text-headline outline-none max-xs:-mx-3">
        Order Confirmed!
      </h2>
      <p className="mx-auto mt-5 w-fit max-w-xl bg-paper text-balance px-5 py-3 text-lead font-semibold">
        Thank you for your purchase! Your tickets have been sent to your email.
      </p>
      <dl className="mx-auto mt-3 w-fit max-w-full bg-paper px-5 py-3">
        <Detail term="Order number">{orderId.slice(0, 8)}</Detail>
        <Detail term="Sent to">
          <EmailText>{email}</EmailText>
        </Detail>
      </dl>
      {isCartLeft && (
        <p className="mx-auto mt-3 w-fit max-w-xl bg-paper text-balance px-5 py-3">
          <strong>This order was for your earlier cart.</strong> The items now in{" "}
          <Link to="/tickets" className="font-semibold underline">
            your cart
          </Link>{" "}
          have not been ordered.
        </p>
      )}
      <DashboardButton text="View Your Tickets" />
      <Slab lettering={["You're", "In"]} className="mx-auto mt-8 h-auto w-[44rem] max-w-full" />
    </div>
  );
}

function Detail({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div className="flex flex-wrap justify-center gap-x-2">
      <dt>{term}</dt>
      <dd className="font-semibold wrap-anywhere">{children}</dd>
    </div>
  );
}

function DashboardButton({ text }: { text: string }) {
  return (
    <Button asChild size="large" variant="dark" className="mt-8">
      <Link to="/dashboard">{text}</Link>
    </Button>
  );
}
