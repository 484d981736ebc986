import { signedInUser } from "../queries.ts";
import { rememberedAttempt } from "./attempt.ts";

/**
 * Whether a payment's end no longer concerns who uses this page: another user has signed in, or its buyer has logged out, which
 * forgets the attempt. A session that lapsed keeps it, and the server's refusal explains that. Never throws.
 */
export async function hasLeft(userId: string): Promise<boolean> {
  const current = await signedInUser().catch(() => userId);
  return current === undefined ? rememberedAttempt(userId) === undefined : current !== userId;
}
