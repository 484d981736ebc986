import { Check } from "lucide-react";
import { Link } from "react-router";
import { Button } from "#ui/button.tsx";
import { Card } from "#ui/card.tsx";
import type { FinishedPayment } from "./finish-payment.ts";

/** The last step: what became of the paid order. */
export function ConfirmationStep({ result }: { result: FinishedPayment }) {
  if (result === "refunded") {
    return (
      <Card tone="warning">
        <h2 className="display text-title">Your Payment Is Being Refunded</h2>
        <p className="mt-4 max-w-prose text-lead">
          The hold had run out, and these tickets sold out before your payment arrived. You get the full
          amount back; your bank may take a few days to show it.
        </p>
        <DashboardButton text="Go to Dashboard" />
      </Card>
    );
  }
  return (
    <Card tone="ink" className="relative overflow-hidden py-14! text-center">
      <div aria-hidden="true" className="halftone absolute inset-x-0 bottom-0 h-24 text-candy opacity-60" />
      <div className="relative">
        <span
          aria-hidden="true"
          className="mx-auto grid size-20 -rotate-6 place-items-center bg-bayou text-white"
        >
          <Check className="size-14" strokeWidth={4} />
        </span>
        <h2 className="display mt-7 text-headline">Order Confirmed!</h2>
        <p className="mx-auto mt-4 max-w-xl text-lead">
          Thank you for your purchase! Your tickets have been sent to your email.
        </p>
        <DashboardButton text="View Your Tickets" />
      </div>
    </Card>
  );
}

function DashboardButton({ text }: { text: string }) {
  return (
    <Button asChild size="large" className="mt-8">
      <Link to="/dashboard">{text}</Link>
    </Button>
  );
}
