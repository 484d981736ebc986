// Users as the back office shows them: their role and when they joined.
import { parseOr } from "#lib/lists/back-office-reads.ts";
import { z } from "zod";

const userStats = z.object({
  total_users: z.number(),
  users_today: z.number(),
  users_this_week: z.number(),
  users_this_month: z.number(),
});
export type UserStats = z.infer<typeof userStats>;

const nobody: UserStats = { total_users: 0, users_today: 0, users_this_week: 0, users_this_month: 0 };

/** A response of another shape is logged and read as no users (PRODUCT 9.12). */
export function parseUserStats(answer: unknown): UserStats {
  return parseOr("user stats", userStats, answer, nobody);
}

const roles = ["admin", "finance", "gate", "user", "none"] as const;
export type Role = (typeof roles)[number];

export const roleNames: Record<Role, string> = {
  admin: "Admin",
  finance: "Finance",
  gate: "Gate",
  user: "User",
  none: "No role",
};

/** What each role can reach. Row-level security enforces it. */
export const roleReach: readonly (readonly [Exclude<Role, "none">, string])[] = [
  ["admin", "The entire back office and the gate, including roles."],
  [
    "finance",
    "Orders, tills, exports, refunds and their retries. No users, stock, vendors, sponsors or logs.",
  ],
  [
    "gate",
    "The gate app at /gate, for letting guests in. No back office, except door sales for those you allow.",
  ],
  ["user", "Their own orders and tickets, the same as without a role."],
];

export const user = z.object({
  id: z.string(),
  email: z
    .string()
    .nullish()
    .transform((email) => email || "No email"),
  created_at: z.string(),
  last_sign_in_at: z.string().nullish(),
  role: z.enum(roles),
  sells_at_door: z.boolean(),
  /** Null when the user may sign in. */
  blocked_until: z.string().nullable(),
  has_second_step: z.boolean(),
  /** By mail, and has not opened the account yet. */
  is_invited: z.boolean(),
});
export type User = z.output<typeof user>;

export function isRole(value: string): value is Role {
  return roles.some((role) => role === value);
}

export interface UserFilter {
  search: string;
  role: Role | undefined;
}
