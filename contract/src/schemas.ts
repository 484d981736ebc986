// What people and programs may send us. One zod schema serves the form in the browser and the function on the server, so
// both refuse the same input with the same messages. SQL keeps the rules that need the database (stock, prices).
import { z } from "zod";
import {
  cartLimits,
  idempotencyKeys,
  maxLengths,
  sponsorshipLevels,
  vendorPictures,
  vendorTypes,
} from "./limits.ts";
import { tooLong } from "./text-limits.ts";
import { hasLink, oneLine, plainEmail, plainLine, plainPhone, reachableEmailPattern } from "./people.ts";

/** Printable text: PostgreSQL cannot store NUL, and no name needs a control character. */
const printable = /^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]*$/;

/** A dollar amount with at most two decimals, as the browser's cart adds it up. */
const dollars = z
  .number()
  .min(0)
  .max(1_000_000)
  .refine((amount) => Math.abs(amount * 100 - Math.round(amount * 100)) < 1e-6, "at most two decimals");

const text = (max: number, letters: RegExp, plain = (typed: string) => typed) =>
  z
    .string()
    .overwrite((typed) => plain(typed).trim())
    .max(max, { error: ({ input }) => tooLong(input as string, max) })
    .regex(letters, "Please use letters, digits and punctuation only");
const line = (max: number) => text(max, oneLine, plainLine);

const personName = line(maxLengths.name)
  .min(1, "Name is required")
  .refine((name) => !hasLink(name), "A name cannot contain a web address");
const email = (message: string) =>
  z.string().overwrite(plainEmail).max(maxLengths.email, message).regex(reachableEmailPattern, message);
const emailAddress = email("Valid email is required");

/** In one spelling, so that equal ids are equal texts. */
const id = z.uuid().toLowerCase();

/** Who a ticket is for (PRODUCT 6.2), and the type under whose label the entry was typed. */
export const attendeeSchema = z.object({
  name: personName,
  email: emailAddress,
  ticketTypeId: id.optional(),
});

/**
 * A phone number of a buyer, vendor or sponsor: at least 10 characters, 7 of them digits, as the shortest numbers in any
 * country have. SQL's `is_phone` checks the same.
 */
const phoneNumber = (max: number) =>
  text(max, oneLine, plainPhone)
    .min(10, "Valid phone number is required")
    .regex(/^(?:[^0-9]*[0-9]){7}/, "Valid phone number is required");

const buyerSchema = z.object({
  name: personName,
  email: emailAddress,
  phone: phoneNumber(maxLengths.phone),
});

/** The first step of checkout: the buyer, and one attendee for each ticket. */
export const checkoutDetailsSchema = z.object({
  buyer: buyerSchema,
  attendees: z.array(attendeeSchema).max(cartLimits.units),
});

export type CheckoutDetails = z.infer<typeof checkoutDetailsSchema>;

/** Proof of a place in the waiting room: the signed place, and the secret of a visitor who had not signed in. */
const placeFields = {
  place: z.string().max(400).regex(printable).optional(),
  visitor: z
    .string()
    .regex(/^[A-Za-z0-9_-]{22,100}$/, "a visitor's secret has 22 to 100 letters and digits")
    .optional(),
};

/** The body of `waiting-room`. A visitor who is not signed in needs a secret. */
export const waitingRoomVisitSchema = z.object(placeFields);

/** The body of `create-payment-intent`. Prices and total are compared with the server's, never trusted. */
export const createPaymentIntentSchema = z
  .object({
    items: z
      .array(
        z.object({
          id,
          name: z.string().max(maxLengths.itemName).regex(printable),
          price: dollars,
          quantity: z.number().int().min(1),
          /** The kind of product. SQL refuses an unknown one. */
          type: z.string().max(maxLengths.itemName).regex(printable),
        }),
      )
      .min(1, "The cart is empty")
      .refine(
        (items) => new Set(items.map((item) => item.id)).size === items.length,
        "an item appears twice",
      ),
    /** In the order of the items. Either every attendee names a ticket type or none does. */
    attendees: z.array(attendeeSchema),
    buyerInfo: buyerSchema,
    totalAmount: dollars,
    /** In upper or lower case. With a code, the total is the one after the discount. */
    promoCode: line(maxLengths.promoCode).min(1).optional(),
    /** For callers that cannot set the `Idempotency-Key` header. */
    idempotencyKey: z.string().min(idempotencyKeys.least).max(idempotencyKeys.most).optional(),
    ...placeFields,
  })
  // These refer to no field: a person reads them.
  .refine(
    (cart) => cart.items.length <= cartLimits.items,
    `At most ${cartLimits.items} different items can be ordered at once.`,
  )
  .refine(
    (cart) => cart.items.every(({ quantity }) => quantity <= cartLimits.units),
    `At most ${cartLimits.units} of one item can be ordered at once.`,
  )
  .refine(
    (cart) => cart.attendees.length <= cartLimits.units,
    `At most ${cartLimits.units} tickets can be ordered at once.`,
  )
  .refine((cart) => cart.attendees.length === ticketCount(cart.items), {
    path: ["attendees"],
    message: "One attendee is needed for each ticket",
  })
  .refine(namesEachTicketOnce, {
    path: ["attendees"],
    message: "The attendees' ticket types do not match the items",
  });

export type CreatePaymentIntent = z.infer<typeof createPaymentIntentSchema>;

function namesEachTicketOnce(cart: {
  items: readonly { id: string; type: string; quantity: number }[];
  attendees: readonly { ticketTypeId?: string | undefined }[];
}): boolean {
  const named = cart.attendees.flatMap(({ ticketTypeId }) => ticketTypeId ?? []);
  if (named.length === 0) return true;
  return (
    named.length === cart.attendees.length &&
    cart.items.every(
      ({ id, type, quantity }) =>
        type !== "ticket" || named.filter((typeId) => typeId === id).length === quantity,
    )
  );
}

function ticketCount(items: readonly { type: string; quantity: number }[]): number {
  return items.filter((item) => item.type === "ticket").reduce((sum, item) => sum + item.quantity, 0);
}

/** The body of `order-documents`. */
export const orderDocumentSchema = z.object({
  orderId: z.uuid(),
  document: z.enum(["tickets", "receipt"]),
  /** The part of a large order's tickets, from 1 (`passesInFile`). */
  part: z.number().int().min(1).max(100).default(1),
});

/** The body of `wallet-pass`: the id of an entry code. */
export const walletPassSchema = z.object({ passId: z.uuid(), wallet: z.enum(["apple", "google"]) });

const companyName = (what: string) => line(maxLengths.name).min(1, `${what} is required`);
const longText = text(maxLengths.longText, printable);

/** A hidden field. A bot that fills in every field fills it in too. */
const honeypot = z.string().max(1000).optional();

const picture = z.object({
  /** Its path in the bucket `vendor-pictures`. */
  path: z.uuid(),
  /** The original file name, shown to the vendor. */
  name: z.string().max(255),
});

/** The vendor form and the body of `submit-vendor-application`. */
export const vendorApplicationSchema = z.object({
  businessName: companyName("Business name"),
  contactName: personName,
  email: emailAddress,
  phone: phoneNumber(maxLengths.businessPhone),
  vendorType: z.enum(vendorTypes, "Choose a vendor type"),
  description: longText.min(1, "Description is required"),
  products: longText.min(1, "Products are required"),
  pictures: z.array(picture).max(vendorPictures.most, `At most ${vendorPictures.most} pictures`).optional(),
  agreeTerms: z.literal(true, "Please agree to the terms"),
  website: honeypot,
});

export type VendorApplication = z.infer<typeof vendorApplicationSchema>;

/** The sponsor form and the body of `submit-sponsor-inquiry`. An empty level or message means none. */
export const sponsorInquirySchema = z.object({
  companyName: companyName("Company name"),
  contactName: personName,
  email: emailAddress,
  phone: phoneNumber(maxLengths.businessPhone),
  sponsorshipLevel: z.enum(sponsorshipLevels).or(z.literal("")).optional(),
  message: longText.optional(),
  website: honeypot,
});

export type SponsorInquiry = z.infer<typeof sponsorInquirySchema>;

const accountEmail = email("Invalid email address");
/** For a new account or a new password, with the server's messages. */
const password = z
  .string()
  .min(8, "Password should be at least 8 characters.")
  .max(maxLengths.password, `Password must be at most ${maxLengths.password} characters`)
  .refine((text) => text.trim() !== "", "Please use more than spaces");
const differingPasswords = { path: ["confirmPassword"], message: "Passwords don't match" };

/** No upper bound: the server decides whether a long password is wrong. */
export const signInSchema = z.object({
  email: accountEmail,
  password: z.string().min(6, "Password must be at least 6 characters"),
});

export const signUpSchema = z
  .object({ email: accountEmail, password, confirmPassword: z.string() })
  .refine((form) => form.password.trim().toLowerCase() !== form.email.toLowerCase(), {
    path: ["password"],
    message: "Please choose something other than your email address",
  })
  .refine((form) => form.password === form.confirmPassword, differingPasswords);

export const passwordResetRequestSchema = z.object({ email: accountEmail });

export const codeRequestSchema = z.object({ email: accountEmail });

/** As pasted, with spaces or a dash between the digits. */
export const typedCodeSchema = z.object({
  code: z
    .string()
    .transform((text) => text.replace(/[\s-]/g, ""))
    .refine((digits) => /^\d{6,10}$/.test(digits), "Enter the digits of the code in the email"),
});

export const newPasswordSchema = z
  .object({ password, confirmPassword: z.string() })
  .refine((form) => form.password === form.confirmPassword, differingPasswords);

export type SignIn = z.infer<typeof signInSchema>;
export type SignUp = z.infer<typeof signUpSchema>;
export type CodeRequest = z.infer<typeof codeRequestSchema>;
export type TypedCode = z.infer<typeof typedCodeSchema>;
export type PasswordResetRequest = z.infer<typeof passwordResetRequestSchema>;
export type NewPassword = z.infer<typeof newPasswordSchema>;

/** The body of `invite-staff`. */
export const inviteStaffSchema = z.object({ invitation_id: z.uuid() });
