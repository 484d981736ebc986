// What people and programs may send us: one zod schema serves the form in the browser and the function on the server, so
// that both refuse the same things with the same words. SQL keeps the rules that need the database (stock, prices).
import { z } from "zod";

/** Printable text: PostgreSQL cannot store NUL, and no name needs a control character. */
const printable = /^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]*$/;

/** A dollar amount with at most two decimals, as the browser's cart adds it up. */
const dollars = z
  .number()
  .min(0)
  .max(1_000_000)
  .refine((amount) => Math.abs(amount * 100 - Math.round(amount * 100)) < 1e-6, "at most two decimals");

const personName = z.string().trim().min(1, "Name is required").max(200).regex(printable);
const emailAddress = z.email("Valid email is required").max(254);

/** The body of `create-payment-intent`. Prices and total are compared with the server's, never believed. */
export const createPaymentIntentSchema = z
  .object({
    items: z
      .array(
        z.object({
          id: z.uuid(),
          name: z.string().max(200).regex(printable),
          price: dollars,
          quantity: z.number().int().min(1).max(1000),
          type: z.enum(["ticket", "parking"]),
        }),
      )
      .min(1, "The cart is empty")
      .max(50)
      .refine((items) => new Set(items.map((item) => item.id)).size === items.length, "an item appears twice"),
    attendees: z.array(z.object({ name: personName, email: emailAddress })).max(1000),
    buyerInfo: z.object({
      name: personName,
      email: emailAddress,
      phone: z.string().trim().min(10, "Valid phone number is required").max(40).regex(printable),
    }),
    totalAmount: dollars,
    /** For callers that cannot set the `Idempotency-Key` header. */
    idempotencyKey: z.string().min(8).max(200).optional(),
  })
  .refine((cart) => cart.attendees.length === ticketCount(cart.items), {
    path: ["attendees"],
    message: "One attendee is needed for each ticket",
  });

export type CreatePaymentIntent = z.infer<typeof createPaymentIntentSchema>;

function ticketCount(items: readonly { type: string; quantity: number }[]): number {
  return items.filter((item) => item.type === "ticket").reduce((sum, item) => sum + item.quantity, 0);
}
