// What the account's security page reads and changes. Factors and passkeys come from the auth service, sessions and the user's
// data from SQL.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { z } from "zod";
import { hasHint } from "contract/errors";
import { readAnswer, rowsWith } from "#lib/api/read-answer.ts";
import type { Failure } from "#lib/api/refusal.ts";
import { getSupabase } from "#lib/api/supabase.ts";
import { ask } from "#lib/session/ask.ts";
import { refusalWords } from "#lib/session/refusal-words.ts";
import { secondStepProblem } from "#lib/session/second-step-codes.ts";
import { toast } from "#ui/overlays/toast.ts";

const factor = z.object({
  id: z.string(),
  friendly_name: z.string().optional(),
  factor_type: z.string(),
  status: z.string(),
  created_at: z.string(),
});
export type Factor = z.infer<typeof factor>;

const factorList = z.object({ all: z.array(factor) });
const codesLeftOf = z.object({ remaining: z.number() });

export interface Passkey {
  readonly id: string;
  readonly friendly_name?: string;
  readonly created_at: string;
  readonly last_used_at?: string;
}

export interface OpenSession {
  readonly id: string;
  readonly created_at: string;
  readonly last_seen_at: string;
  readonly user_agent: string | null;
  readonly address: string | null;
  readonly is_this: boolean;
}

export const securityKey = (userId: string, what: string) => ["account-security", userId, what];

/** The verified ones. Recovery codes are separate, with the number that is left. */
export function useSecondSteps(userId: string) {
  return useQuery({
    queryKey: securityKey(userId, "factors"),
    queryFn: async () => {
      const { mfa } = (await getSupabase()).auth;
      const { all } = readAnswer("load factors", await mfa.listFactors(), (data) => factorList.parse(data));
      const verified = all.filter(({ status }) => status === "verified");
      const hasCodes = verified.some(({ factor_type }) => factor_type === "recovery_code");
      const codesLeft = hasCodes
        ? readAnswer("load recovery codes", await mfa.recoveryCodes.getStatus(), (data) =>
            codesLeftOf.parse(data),
          ).remaining
        : undefined;
      return {
        factors: verified.filter(({ factor_type }) => factor_type !== "recovery_code"),
        codesLeft,
      };
    },
  });
}

export function usePasskeys(userId: string) {
  return useQuery({
    queryKey: securityKey(userId, "passkeys"),
    queryFn: async () =>
      readAnswer(
        "load passkeys",
        await (await getSupabase()).auth.passkey.list(),
        rowsWith<Passkey>("id", "created_at"),
      ),
  });
}

export function useSessions(userId: string) {
  return useQuery({
    queryKey: securityKey(userId, "sessions"),
    queryFn: async () =>
      readAnswer(
        "load sessions",
        await (await getSupabase()).rpc("list_my_sessions"),
        rowsWith<OpenSession>("id", "last_seen_at"),
      ),
  });
}

/** Refetches everything about the account's security. */
export function useReadAgain(userId: string) {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: ["account-security", userId] });
}

interface Refusal {
  readonly message: string;
  readonly code?: string | undefined;
}

/** A mutation that shows whether it was done or refused, and refetches afterwards. */
export function useChange<Variables = void>(
  userId: string,
  words: { done: string; failed: string },
  work: (variables: Variables) => Promise<{ error: Refusal | null }>,
) {
  const readAgain = useReadAgain(userId);
  return useMutation({
    mutationFn: async (variables: Variables) => {
      const { error } = await work(variables);
      if (error) throw new Error(secondStepProblem(error), { cause: error });
    },
    onSuccess: () => toast.success(words.done),
    onError: (error) => toast.error(words.failed, error.message),
    onSettled: readAgain,
  });
}

const deletion = z.object({
  tickets_to_come: z.number(),
  orders: z.number(),
  /** Null: paid orders lose the names at once. */
  names_until: z.string().nullable(),
  refusal: z.string().nullable(),
  /** The last sign-in is too long ago. */
  sign_in_first: z.boolean(),
});
export type Deletion = z.infer<typeof deletion>;

/** What deleting the account would do. Read only when the user is about to. @throws Error with a message to show */
export async function previewDeletion(): Promise<Deletion> {
  const read = deletion.safeParse(await ask((supabase) => supabase.rpc("preview_account_deletion")));
  if (!read.success) throw new Error(refusalWords(read.error), { cause: read.error });
  return read.data;
}

/** @returns why it failed: a message to show, and whether the user must sign in again first */
export async function deleteAccount(
  email: string,
  knowing: boolean,
): Promise<{ message: string; signInAgain: boolean } | undefined> {
  try {
    await ask((supabase) =>
      supabase.rpc("delete_my_account", { p_email: email, p_knowing_tickets: knowing }),
    );
    return undefined;
  } catch (error) {
    const { message, cause } = error as Error & { cause?: Failure };
    return { message, signInAgain: hasHint(cause, "reauthentication_needed") };
  }
}

/** @throws Error with a message to show */
export async function readMyData(): Promise<Blob> {
  const data = await ask((supabase) => supabase.rpc("export_my_data"));
  return new Blob([JSON.stringify(data, null, 2)], { type: "application/json" });
}
