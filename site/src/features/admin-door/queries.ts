// The till of the signed-in user, and its actions.
import { doorCodes, type DoorCode } from "contract/door";
import { useQuery } from "@tanstack/react-query";
import { callFunction } from "#lib/api/functions.ts";
import { isRefused } from "#lib/api/refusal.ts";
import { getSupabase } from "#lib/api/supabase.ts";
import { readJson, writeJson } from "#lib/browser/stored-json.ts";
import { parseAnswer, read } from "#lib/lists/back-office-reads.ts";
import { TILL } from "#lib/lists/till-reads.ts";
import { plainWords, refusalWords } from "#lib/session/refusal-words.ts";
import { z } from "zod";
import { attempt, till, type Attempt } from "./model.ts";

/** Others sell from the same stock. */
const TILL_EVERY_MS = 5000;

export function useTill() {
  return useQuery({
    queryKey: [TILL],
    queryFn: async () =>
      parseAnswer("the till", till, await read("the till", (supabase) => supabase.rpc("get_till"))),
    refetchInterval: TILL_EVERY_MS,
  });
}

/** The database refused, with its reason. After any other error it is unknown whether it was done. */
export class Refused extends Error {}

async function call<T>(
  ask: (supabase: Awaited<ReturnType<typeof getSupabase>>) => PromiseLike<{
    data: T;
    error: { message: string; code: string } | null;
    status: number;
  }>,
): Promise<T> {
  const { data, error, status } = await ask(await getSupabase());
  if (!error) return data;
  // Called without a session, which the database refuses as it refuses a role: it says nothing about an earlier attempt.
  if (status === 401) throw new Error(plainWords("session_expired"));
  const words = refusalWords(error);
  throw isRefused(error) ? new Refused(words) : new Error(words);
}

export const openTill = (float: number) => call((supabase) => supabase.rpc("open_till", { p_float: float }));

const closing = z.object({ expected: z.number(), counted: z.number(), difference: z.number() });
export type Closing = z.infer<typeof closing>;

export async function closeTill(id: string, counted: number, note: string): Promise<Closing> {
  const answer = await call((supabase) =>
    supabase.rpc("close_till", { p_shift_id: id, p_counted: counted, p_note: note }),
  );
  return parseAnswer("the closed till", closing, answer);
}

const sold = z.object({ order_id: z.string(), total_cents: z.number() });

/**
 * @throws Refused when nothing was sold and nothing will be under this key, which the database looks up before it refuses anybody;
 * any other error when the outcome is unknown
 */
export async function sell({ key, items, method, cents }: Attempt): Promise<z.infer<typeof sold>> {
  const answer = await call((supabase) =>
    supabase.rpc("sell_at_door", { p_key: key, p_items: items, p_method: method, p_total_cents: cents }),
  );
  return parseAnswer("the sale", sold, answer);
}

export async function fetchCodes(orderId: string): Promise<readonly DoorCode[]> {
  return parseAnswer("the codes", doorCodes, await callFunction("door-codes", { orderId })).codes;
}

export const mailSale = (orderId: string, email: string) =>
  call((supabase) => supabase.rpc("mail_door_sale", { p_order_id: orderId, p_email: email }));

/** An unanswered sale outlives the page, and is resolved before the next one. */
const UNANSWERED = "houston-culture-festival:door-sale";

export function keptAttempt(userId: string): Attempt | undefined {
  const kept = z.object({ userId: z.literal(userId), attempt }).safeParse(readJson("local", UNANSWERED));
  return kept.data?.attempt;
}

export function keepAttempt(userId: string, open: Attempt | undefined): void {
  writeJson("local", UNANSWERED, open && { userId, attempt: open });
}
