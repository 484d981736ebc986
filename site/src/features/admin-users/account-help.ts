// What an administrator can do about one user's sign-in. The rules, the audit rows and the mail are in SQL.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Supabase } from "#lib/api/supabase.ts";
import { formatMoment } from "#lib/format.ts";
import { ask } from "#lib/session/ask.ts";
import { toast } from "#ui/overlays/toast.ts";
import type { User } from "./model.ts";

/** In days; undefined for good. */
export const blockLengths = {
  day: { label: "1 day", days: 1 },
  week: { label: "7 days", days: 7 },
  month: { label: "30 days", days: 30 },
  good: { label: "Permanently", days: undefined },
} as const;
export type BlockLength = keyof typeof blockLengths;

export const isBlockLength = (value: string): value is BlockLength => value in blockLengths;

/** SQL stores "for good" as a hundred years. */
const GOOD_MS = 50 * 365 * 86_400_000;

export const blockText = (until: string): string =>
  Date.parse(until) - Date.now() > GOOD_MS ? "Blocked permanently" : `Blocked until ${formatMoment(until)}`;

interface Help {
  label: string;
  /** What will happen. */
  means: string;
  done: string;
  isOffered: (user: User) => boolean;
}

export const helps = {
  signOut: {
    label: "Sign out everywhere",
    means: "Every session ends now, on all their devices. They can sign in again at once.",
    done: "Signed out everywhere",
    isOffered: (user) => user.blocked_until === null,
  },
  unblock: {
    label: "Unblock sign-in",
    means: "They can sign in again at once.",
    done: "Sign-in unblocked",
    isOffered: (user) => user.blocked_until !== null,
  },
  removeSteps: {
    label: "Reset two-step verification",
    means:
      "For someone who lost their phone. Removes apps, keys, numbers and recovery codes, and ends every session. Their password alone then signs them in, so verify who is asking. They get an email about it.",
    done: "Two-step verification reset",
    isOffered: (user) => user.has_second_step,
  },
  block: {
    label: "Block sign-in",
    means: "Every session ends now, and they can't sign in until the block ends. Tickets stay valid.",
    done: "Sign-in blocked",
    isOffered: (user) => user.blocked_until === null,
  },
} as const satisfies Record<string, Help>;
export type HelpKind = keyof typeof helps;

export const helpsFor = (user: User): HelpKind[] =>
  (Object.keys(helps) as HelpKind[]).filter((kind) => helps[kind].isOffered(user));

interface HelpRequest {
  user: User;
  kind: HelpKind;
  reason: string;
  length: BlockLength;
}

export function useHelp() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (request: HelpRequest) => ask((supabase) => call(supabase, request)),
    onSuccess: (_nothing, { user, kind }) => toast.success(helps[kind].done, user.email),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ["users"] }),
  });
}

function call(supabase: Supabase, { user, kind, reason, length }: HelpRequest) {
  const about = { p_user_id: user.id, p_reason: reason };
  switch (kind) {
    case "signOut":
      return supabase.rpc("sign_out_user", about);
    case "removeSteps":
      return supabase.rpc("remove_second_steps", about);
    case "unblock":
      return supabase.rpc("unblock_user", about);
    case "block": {
      const { days } = blockLengths[length];
      return supabase.rpc("block_user", { ...about, ...(days && { p_days: days }) });
    }
  }
}
