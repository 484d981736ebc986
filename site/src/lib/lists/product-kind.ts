// The kinds of products in the answers of the back office.
import type { ProductKind } from "contract/shop/kinds";
import { z } from "zod";

export const productKind = z.object({
  kind: z.string(),
  position: z.number(),
  label: z.string(),
  plural: z.string(),
  title: z.string(),
  admits: z.string(),
  needs_attendee: z.boolean(),
  has_code: z.boolean(),
  is_vehicle: z.boolean(),
  one_per_order: z.boolean(),
}) satisfies z.ZodType<ProductKind>;
