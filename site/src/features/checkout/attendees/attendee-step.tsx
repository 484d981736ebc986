// The first step: the buyer, and an attendee for each ticket. Entries are kept as they are typed: complete ones in the cart,
// half-filled ones separately.
import { zodResolver } from "@hookform/resolvers/zod";
import { ArrowRight } from "lucide-react";
import { useEffect, useState, type ReactNode } from "react";
import { useForm, type FieldErrors, type UseFormRegister, type UseFormReturn } from "react-hook-form";
import { Link } from "react-router";
import { maxLengths } from "contract/limits";
import { checkoutDetailsSchema, type CheckoutDetails } from "contract/schemas";
import { formatCents } from "contract/shop/money";
import type { SessionUser } from "#lib/session/session.tsx";
import { Card } from "#ui/page/card.tsx";
import { Button } from "#ui/basics/button.tsx";
import { Field } from "#ui/forms/field.tsx";
import { Input } from "#ui/forms/input.tsx";
import { EmptyState, ErrorState } from "#ui/page/screen-states.tsx";
import { BackToTickets } from "../back-to-tickets.tsx";
import { ticketWanted } from "../cart/model.ts";
import { filledSeats } from "../cart/seats.ts";
import { halvesOf, keepHalves, withHalves } from "./half-filled.ts";
import { priceChanges, seatsWith, type CheckoutCart } from "../model.ts";

interface AttendeeStepProps {
  cart: CheckoutCart;
  /** Their address is the default for the buyer's. */
  user: Pick<SessionUser, "id" | "email">;
  refusal: string | undefined;
  /** The notice that nothing is on sale right now, above the form. */
  closed?: ReactNode;
  /** Updates the cart to today's prices; undefined while they are current. */
  takePrices: (() => void) | undefined;
  onContinue: () => void;
}

export function AttendeeStep({ cart, user, refusal, closed, takePrices, onContinue }: AttendeeStepProps) {
  const [before] = useState(cart.items);
  const changes = priceChanges(before, cart.items);
  useEffect(() => takePrices?.(), [takePrices]);
  if (refusal) {
    return (
      <ErrorState title={refusal} action={<BackToTickets />}>
        Your cart is saved. Please remove some tickets from it.
      </ErrorState>
    );
  }
  if (cart.ticketCount === 0) {
    return (
      <EmptyState title="No tickets in your cart" action={<BackToTickets />}>
        {ticketWanted(cart.items)}
      </EmptyState>
    );
  }
  // Another tab may change the cart, and the form follows. It writes all its fields, which must not be older ones. What was typed
  // in it comes back, because every entry is kept.
  const tickets = cart.seats.map(({ ticketTypeId }) => ticketTypeId).join();
  return (
    <>
      {closed}
      <div role="status">
        {changes.length > 0 && (
          <Card tone="warning" padding="small" className="mb-8">
            <strong>Prices have changed.</strong> {changes.join(" ")} Your total is {formatCents(cart.total)}.
          </Card>
        )}
      </div>
      <DetailsForm key={`${cart.typedElsewhere} ${tickets}`} {...{ cart, user, onContinue }} />
    </>
  );
}

function DetailsForm({ cart, user, onContinue }: Pick<AttendeeStepProps, "cart" | "user" | "onContinue">) {
  // The seats of this form. The names in them change while the buyer types.
  const [seats] = useState(() => withHalves(user.id, cart.seats));
  const form = useForm<CheckoutDetails>({
    resolver: zodResolver(checkoutDetailsSchema),
    defaultValues: {
      buyer: { ...cart.buyerInfo, email: cart.buyerInfo.email || (user.email ?? "") },
      attendees: seats.map(({ name, email }) => ({ name, email })),
    },
  });
  const { register } = form;
  const { errors } = form.formState;

  useKeptEntries(form, seats, cart, user.id);

  function submit({ buyer, attendees }: CheckoutDetails) {
    keep(cart, buyer, seatsWith(seats, attendees));
    onContinue();
  }

  function copyBuyer(...indexes: number[]) {
    const { name, email } = form.getValues("buyer");
    const touch = { shouldDirty: true, shouldValidate: form.formState.isSubmitted };
    for (const index of indexes) {
      form.setValue(`attendees.${index}.name`, name, touch);
      form.setValue(`attendees.${index}.email`, email, touch);
    }
  }

  return (
    <form
      noValidate
      onSubmit={(event) => void form.handleSubmit(submit)(event)}
      aria-label="Attendee information"
    >
      <BuyerFields {...{ register, errors }} />
      {seats.length > 1 && (
        <Button
          variant="secondary"
          className="mt-6"
          onClick={() => copyBuyer(...seats.map((_seat, index) => index))}
        >
          Same as Buyer for All
        </Button>
      )}
      {seats.map(({ ticketTypeId, ticketName, position }, index) => (
        <SeatFields
          key={`${ticketTypeId} ${position}`}
          {...{ register, errors, ticketName, index }}
          onCopy={() => copyBuyer(index)}
        />
      ))}
      <WaysOn />
    </form>
  );
}

function keep(
  { change }: Pick<CheckoutCart, "change">,
  buyerInfo: CheckoutDetails["buyer"],
  seats: CheckoutCart["seats"],
) {
  change({ type: "merge-buyer", buyerInfo });
  change({ type: "set-attendees", attendees: filledSeats(seats) });
}

/** Keeps what is typed in the cart. */
function useKeptEntries(
  form: UseFormReturn<CheckoutDetails>,
  seats: CheckoutCart["seats"],
  { change }: CheckoutCart,
  userId: string,
) {
  useEffect(
    () =>
      form.subscribe({
        formState: { values: true },
        callback: ({ values }) => {
          const entered = seatsWith(seats, values.attendees);
          keep({ change }, values.buyer, entered);
          keepHalves(userId, halvesOf(entered));
        },
      }),
    [form, seats, change, userId],
  );
}

interface FieldsProps {
  register: UseFormRegister<CheckoutDetails>;
  errors: FieldErrors<CheckoutDetails>;
}

function BuyerFields({ register, errors }: FieldsProps) {
  return (
    <fieldset className="border-t-4 border-ink pt-5">
      <legend className="display float-left mb-4 w-full text-heading">Buyer Information</legend>
      <div className="clear-both grid gap-4 sm:grid-cols-2">
        <Field
          label="Full Name"
          limit={maxLengths.name}
          required
          error={errors.buyer?.name?.message}
          className="sm:col-span-2"
        >
          <Input autoComplete="name" {...register("buyer.name")} />
        </Field>
        <Field
          label="Email"
          limit={maxLengths.email}
          required
          error={errors.buyer?.email?.message}
          hint="Your tickets are sent here."
        >
          <Input type="email" autoComplete="email" {...register("buyer.email")} />
        </Field>
        <Field
          label="Phone"
          limit={maxLengths.phone}
          required
          error={errors.buyer?.phone?.message}
          hint="Include your area code, like 713-555-0142."
        >
          <Input type="tel" autoComplete="tel" {...register("buyer.phone")} />
        </Field>
      </div>
    </fieldset>
  );
}

interface SeatFieldsProps extends FieldsProps {
  ticketName: string;
  index: number;
  onCopy: () => void;
}

/** The attendee of one ticket. */
function SeatFields({ register, errors, ticketName, index, onCopy }: SeatFieldsProps) {
  const wrong = errors.attendees?.[index];
  return (
    <fieldset className="mt-9 border-t-4 border-ink pt-5">
      <legend className="float-left mb-4 w-full">
        <span className="display block text-heading">
          Attendee {index + 1}
          <span className="sr-only">, </span>
        </span>
        <span className="wrap-anywhere text-ink-soft">{ticketName}</span>
      </legend>
      <div className="clear-both grid gap-4 sm:grid-cols-2">
        <Field label="Full Name" limit={maxLengths.name} required error={wrong?.name?.message}>
          <Input autoComplete="off" {...register(`attendees.${index}.name`)} />
        </Field>
        <Field label="Email" limit={maxLengths.email} required error={wrong?.email?.message}>
          <Input type="email" autoComplete="off" {...register(`attendees.${index}.email`)} />
        </Field>
      </div>
      <Button
        variant="ghost"
        size="small"
        className="mt-2 -ml-3 underline underline-offset-4"
        onClick={onCopy}
      >
        Same as buyer
        <span className="sr-only"> for attendee {index + 1}</span>
      </Button>
    </fieldset>
  );
}

function WaysOn() {
  return (
    <div className="mt-9 flex flex-wrap-reverse justify-between gap-4">
      <Button asChild variant="secondary" size="large" className="max-xs:w-full">
        <Link to="/tickets">Back to Tickets</Link>
      </Button>
      <Button type="submit" size="large" className="max-xs:w-full max-xs:px-3!">
        Continue to Payment
        <ArrowRight aria-hidden="true" className="size-6" strokeWidth={3} />
      </Button>
    </div>
  );
}
