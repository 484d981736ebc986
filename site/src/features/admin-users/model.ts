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

/** An answer of another shape is logged, and read as no users (specification 001, section 5). */
export function parseUserStats(answer: unknown): UserStats {
  return parseOr("user stats", userStats, answer, nobody);
}

export const roles = ["admin", "user", "none"] as const;
export type Role = (typeof roles)[number];

export const roleNames: Record<Role, string> = { admin: "Admin", user: "User", none: "No role" };

export const user = z.object({
  id: z.string(),
  email: z
    .string()
    .nullish()
    .transform((email) => email || "No email"),
  created_at: z.string(),
  last_sign_in_at: z.string().nullish(),
  role: z.enum(roles),
});
export type User = z.output<typeof user>;

export function isRole(value: string): value is Role {
  return roles.some((role) => role === value);
}

export interface UserFilter {
  search: string;
  role: Role | undefined;
}
