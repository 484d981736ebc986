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

/** What an order may have. SQL writes the same numbers (`cart_problem`, `shop_settings`), and a test compares them. */
export const cartLimits = {
  /** Different items. */
  items: 20,
  /** Units of one item, and tickets of a buyer whatever the organiser allows. */
  units: 500,
} as const;

/** In dollars, both included: no card is charged less, and the column holds no more. */
export const priceBounds = { least: 0.5, most: 99_999.99 } as const;

/** How many characters a field takes: the schemas refuse more, and the site's controls stop there. */
export const maxLengths = {
  name: 200,
  email: 254,
  /** Of a ticket type or parking pass. */
  itemName: 120,
  /** A buyer's. */
  phone: 40,
  /** A vendor's or sponsor's, which may carry an extension. */
  businessPhone: 50,
  /** As typed; SQL knows none that is longer. */
  promoCode: 40,
  longText: 5000,
  /** Of a message to buyers; its text is a long one. */
  messageSubject: 150,
  /** Not for a control to stop at: a pasted password must not be cut without a word. */
  password: 72,
} as const;

const text = (max: number) =>
  z
    .string()
    .trim()
    .max(max, `At most ${max.toLocaleString("en-US")} characters`)
    .regex(printable, "Please use letters, digits and punctuation only");

const personName = text(maxLengths.name).min(1, "Name is required");
const emailAddress = z.email("Valid email is required").max(maxLengths.email, "Valid email is required");

/** Who a ticket is for (PRODUCT 6.2). The type is the one under whose label the entry stood. */
export const attendeeSchema = z.object({
  name: personName,
  email: emailAddress,
  ticketTypeId: z.uuid().optional(),
});

/**
 * A buyer's, a vendor's or a sponsor's: at least 10 characters, 7 of them digits, as the shortest numbers of any country
 * have. SQL's `is_phone` says the same.
 */
const phoneNumber = (max: number) =>
  text(max)
    .min(10, "Valid phone number is required")
    .regex(/^(?:[^0-9]*[0-9]){7}/, "Valid phone number is required");

export const buyerSchema = z.object({
  name: personName,
  email: emailAddress,
  phone: phoneNumber(maxLengths.phone),
});

/** The first step of checkout: who buys, and one attendee for each ticket. */
export const checkoutDetailsSchema = z.object({
  buyer: buyerSchema,
  attendees: z.array(attendeeSchema).max(cartLimits.units),
});

export type CheckoutDetails = z.infer<typeof checkoutDetailsSchema>;

/** What stands for a place in the waiting room: the signed place, and the secret of a visitor who had not signed in. */
const placeFields = {
  place: z.string().max(400).regex(printable).optional(),
  visitor: z
    .string()
    .regex(/^[A-Za-z0-9_-]{22,100}$/, "a visitor's secret has 22 to 100 letters and digits")
    .optional(),
};

/** The body of `waiting-room`. Who has not signed in needs a secret of their own. */
export const waitingRoomVisitSchema = z.object(placeFields);

/** The body of `create-payment-intent`. Prices and total are compared with the server's, never believed. */
export const createPaymentIntentSchema = z
  .object({
    items: z
      .array(
        z.object({
          id: z.uuid(),
          name: z.string().max(maxLengths.itemName).regex(printable),
          price: dollars,
          quantity: z.number().int().min(1),
          type: z.enum(["ticket", "parking"]),
        }),
      )
      .min(1, "The cart is empty")
      .refine(
        (items) => new Set(items.map((item) => item.id)).size === items.length,
        "an item appears twice",
      ),
    /** In the order of the items. Each may say which ticket is theirs, and then all do. */
    attendees: z.array(attendeeSchema),
    buyerInfo: buyerSchema,
    totalAmount: dollars,
    /** In either case. The total is then the one after it. */
    promoCode: text(maxLengths.promoCode).min(1).optional(),
    /** For callers that cannot set the `Idempotency-Key` header. */
    idempotencyKey: z.string().min(8).max(200).optional(),
    ...placeFields,
  })
  // These name no field: a person reads them.
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
  const named = cart.attendees.flatMap(({ ticketTypeId }) => ticketTypeId?.toLowerCase() ?? []);
  if (named.length === 0) return true;
  return (
    named.length === cart.attendees.length &&
    cart.items.every(
      ({ id, type, quantity }) =>
        type !== "ticket" || named.filter((typeId) => typeId === id.toLowerCase()).length === quantity,
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
  /** Of the tickets of a large order, from 1 (`passesInFile`). */
  part: z.number().int().min(1).max(100).default(1),
});

/** The body of `wallet-pass`: a ticket's id, or a permit's. */
export const walletPassSchema = z.object({ passId: z.uuid(), wallet: z.enum(["apple", "google"]) });

const companyName = (what: string) => text(maxLengths.name).min(1, `${what} is required`);
const longText = text(maxLengths.longText);

/** A field that people do not see: a program that fills in everything fills it in as well. */
const honeypot = z.string().max(1000).optional();

export const vendorTypes = ["food", "retail", "art", "other"] as const;

/** Most pictures of an application, and the longer side of each in pixels once the browser has resized it. */
export const vendorPictures = { most: 5, pixels: 2000 } as const;

const picture = z.object({
  /** Where the bucket `vendor-pictures` has it. */
  path: z.uuid(),
  /** The file's own name, for the vendor. */
  name: z.string().max(255),
});

export type VendorPicture = z.infer<typeof picture>;

/** The vendor form, and the body of `submit-vendor-application`. */
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

export const sponsorshipLevels = ["silver", "gold", "platinum", "custom"] as const;

/** The sponsor form, and the body of `submit-sponsor-inquiry`. An empty level or message is none. */
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

const accountEmail = z.email("Invalid email address").max(maxLengths.email, "Invalid email address");
/** Of a new account or a new password, in the server's words. */
const password = z
  .string()
  .min(8, "Password should be at least 8 characters.")
  .max(maxLengths.password, `Password must be at most ${maxLengths.password} characters`)
  .refine((text) => text.trim() !== "", "Please use more than spaces");
const differingPasswords = { path: ["confirmPassword"], message: "Passwords don't match" };

/** No upper bound: whether a long password is wrong is for the server to say. */
export const signInSchema = z.object({
  email: accountEmail,
  password: z.string().min(6, "Password must be at least 6 characters"),
});

export const signUpSchema = z
  .object({ email: accountEmail, password, confirmPassword: z.string() })
  .refine((form) => form.password.trim().toLowerCase() !== form.email.toLowerCase(), {
    path: ["password"],
    message: "Please choose something else than your email address",
  })
  .refine((form) => form.password === form.confirmPassword, differingPasswords);

export const passwordResetRequestSchema = z.object({ email: accountEmail });

export const codeRequestSchema = z.object({ email: accountEmail });

/** As people paste it: with spaces or a dash between the digits. */
export const typedCodeSchema = z.object({
  code: z
    .string()
    .transform((text) => text.replace(/[\s-]/g, ""))
    .refine((digits) => /^\d{6,10}$/.test(digits), "Type the digits of the code in the email"),
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

/** What `invite-staff` takes. */
export const inviteStaffSchema = z.object({ invitation_id: z.uuid() });
