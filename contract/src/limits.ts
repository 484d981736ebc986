// The limits and choices that schemas.ts checks. Apart from it, so that a form can show them before zod is there.

/** Limits of an order. SQL has the same numbers (`items_problem`, `cart_problem`, `shop_settings`), and a test compares them. */
export const cartLimits = {
  /** Different items. */
  items: 20,
  /** Units of one item, and a buyer's tickets whatever the organizer allows. */
  units: 500,
} as const;

/** In dollars, inclusive. 0 is free; a card cannot be charged less than `charged`, and the column holds no more than `most`. */
export const priceBounds = { charged: 0.5, most: 99_999.99 } as const;

/** How many characters the key of an attempt to order has. */
export const idempotencyKeys = { least: 8, most: 200 } as const;

/** Maximum lengths in characters: the schemas refuse more. */
export const maxLengths = {
  name: 200,
  email: 254,
  /** The name of a product. */
  itemName: 120,
  itemDescription: 500,
  feeName: 40,
  /** The phone number of a buyer, or of a second step. */
  phone: 40,
  /** A vendor's or sponsor's phone number, which may include an extension. */
  businessPhone: 50,
  /** As typed. SQL has no longer ones. */
  promoCode: 40,
  promoNote: 200,
  longText: 5000,
  /** The subject of a message to buyers. Its text is a `longText`. */
  messageSubject: 150,
  /** Not a limit for the input: it must not silently truncate a pasted password. */
  password: 72,
} as const;

export const vendorTypes = ["food", "retail", "art", "other"] as const;

/** The most pictures per application, and each picture's longer side in pixels after the browser has resized it. */
export const vendorPictures = { most: 5, pixels: 2000 } as const;

export const sponsorshipLevels = ["silver", "gold", "platinum", "custom"] as const;
