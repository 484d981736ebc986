// The buyer's places on the waitlist. A response in an unexpected shape is an error.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { readAnswer, rowsWith } from "#lib/api/read-answer.ts";
import { getSupabase } from "#lib/api/supabase.ts";
import { ask } from "#lib/session/ask.ts";
import { toast } from "#ui/overlays/toast.ts";

export interface Place {
  id: string;
  ticket_type_id: string;
  name: string;
  /** Units still wanted. */
  quantity: number;
  state: "waiting" | "offered" | "claimed" | "expired";
  /** Units held for the buyer. */
  offered: number;
  offer_expires_at: string | null;
  /** How many people are waiting ahead. */
  ahead: number;
}

const KEY = "waitlist";
/** The line moves while the page is open. */
const REFRESH_MS = 15_000;

/** Disabled for visitors who are not signed in. */
export function useWaitlist(userId: string | undefined) {
  return useQuery({
    queryKey: [KEY, userId],
    queryFn: async () => {
      const supabase = await getSupabase();
      return readAnswer("load the waitlist", await supabase.rpc("my_waitlist"), parsePlaces);
    },
    enabled: userId !== undefined,
    refetchInterval: ({ state }) => (state.data && state.data.length > 0 ? REFRESH_MS : false),
  });
}

const parsePlaces = rowsWith<Place>(
  "id",
  "ticket_type_id",
  "name",
  "quantity",
  "state",
  "offered",
  "offer_expires_at",
  "ahead",
);

/** Changes the buyer's place, then refetches the lists that show it. */
function useChange<Input>(mutationFn: (input: Input) => Promise<unknown>, done: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: () => toast.success(done),
    onSettled: () =>
      Promise.all([KEY, "products"].map((key) => queryClient.invalidateQueries({ queryKey: [key] }))),
  });
}

export const join = ({ typeId, quantity }: { typeId: string; quantity: number }) =>
  ask((supabase) => supabase.rpc("join_waitlist", { p_ticket_type_id: typeId, p_quantity: quantity }));

export const leave = (id: string) => ask((supabase) => supabase.rpc("leave_waitlist", { p_entry_id: id }));

export const useJoin = () => useChange(join, "You are on the waitlist");

export const useLeave = () => useChange(leave, "You have left the waitlist");
