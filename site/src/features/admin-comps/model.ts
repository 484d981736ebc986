// Comps: one that is being issued, and those that were.
import type { BadgeTone } from "#ui/basics/badge.tsx";
import { z } from "zod";

/** An issue that was sent but not answered. */
export const unansweredIssue = z.object({
  userId: z.string(),
  /** The key it was sent under. */
  key: z.uuid(),
  pasting: z.boolean(),
  typed: z.object({
    typeId: z.string(),
    reason: z.string(),
    name: z.string(),
    email: z.string(),
    list: z.string(),
  }),
});
export type UnansweredIssue = z.infer<typeof unansweredIssue>;
export type Typed = UnansweredIssue["typed"];

export const compStates = [
  { value: "valid", label: "Not checked in" },
  { value: "in", label: "Checked in" },
  { value: "revoked", label: "Revoked" },
] as const;
type CompState = (typeof compStates)[number]["value"];

export function isCompState(value: string): value is CompState {
  return compStates.some((state) => state.value === value);
}

export const stateTone: Record<CompState, BadgeTone> = { valid: "default", in: "success", revoked: "danger" };

export const comp = z.object({
  /** The order's id. */
  id: z.string(),
  created_at: z.string(),
  name: z.string(),
  email: z.string(),
  type: z.string(),
  reason: z.string(),
  issued_by: z.string(),
  revoke_reason: z.string().nullable(),
  state: z.enum(["valid", "in", "revoked"]),
  includes_parking: z.boolean(),
});
export type Comp = z.infer<typeof comp>;

export interface CompFilter {
  search: string;
  state: CompState | undefined;
}
