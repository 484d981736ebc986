import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { followBroadcasts } from "#lib/api/broadcasts.ts";
import { callFunction } from "#lib/api/functions.ts";
import { readAnswer, rowsWith } from "#lib/api/read-answer.ts";
import { getSupabase } from "#lib/api/supabase.ts";
import { ask } from "#lib/session/ask.ts";
import {
  extraColumns,
  ticketColumns,
  transferColumns,
  type Extra,
  type Ticket,
  type Transfer,
} from "./model.ts";

const fields = ["id", "order_id", "order_item_id", "attendee_name", "created_at", "position"] as const;
const extraFields = ["id", "order_id", "order_item_id", "created_at", "position", "product_kinds"] as const;

export const ticketsKey = (userId: string) => ["tickets", userId] as const;

/** The user's own tickets with their types, newest first. Not `isReading`: as far as another component has read them. */
export function useTickets(userId: string, isReading = true) {
  return useQuery({
    queryKey: ticketsKey(userId),
    enabled: isReading,
    queryFn: async (): Promise<Ticket[]> => {
      const supabase = await getSupabase();
      // Tickets accepted without an account. If claiming fails, the next read retries.
      await supabase.rpc("claim_kept_tickets");
      const query = supabase.from("tickets").select(ticketColumns).eq("user_id", userId);
      const answer = await query.order("created_at", { ascending: false });
      return readAnswer("load tickets", answer, rowsWith<Ticket>(...fields));
    },
  });
}

/** Refetched whenever the tickets are, because their keys share a prefix. */
const extrasKey = (userId: string) => [...ticketsKey(userId), "extras"] as const;

/** What else the user has codes of. */
export function useExtras(userId: string) {
  return useQuery({
    queryKey: extrasKey(userId),
    queryFn: async (): Promise<Extra[]> => {
      const supabase = await getSupabase();
      const query = supabase
        .from("entry_codes")
        .select(extraColumns)
        .eq("user_id", userId)
        .is("has_attendee", false);
      const answer = await query.order("created_at", { ascending: false });
      return readAnswer("load extras", answer, rowsWith<Extra>(...extraFields));
    },
  });
}

/** Refetches the user's passes when one is scanned, and the orders, which the last one completes. Returns whether live notices arrive. */
export function useLiveScans(userId: string, isWanted: boolean): boolean {
  const queryClient = useQueryClient();
  const [isLive, setIsLive] = useState(false);
  useEffect(() => {
    if (!isWanted) return undefined;
    const stop = followBroadcasts(`scans:${userId}`, "scanned", {
      onLive: setIsLive,
      notify() {
        void queryClient.invalidateQueries({ queryKey: ticketsKey(userId) });
        void queryClient.invalidateQueries({ queryKey: ["orders", userId] });
      },
    });
    return () => {
      stop();
      setIsLive(false);
    };
  }, [isWanted, userId, queryClient]);
  return isLive;
}

/** Without live notices: how often to check for scans while codes are on the screen, as at the gate. */
const AT_GATE_REFRESH_MS = 5_000;

/** Polls the user's passes while `isAtGate`. */
export function usePolledScans(userId: string, isAtGate: boolean) {
  const queryClient = useQueryClient();
  useEffect(() => {
    if (!isAtGate) return undefined;
    // On a slow network a read may take longer than that, and must be allowed to finish.
    const look = () =>
      void queryClient.invalidateQueries({ queryKey: ticketsKey(userId) }, { cancelRefetch: false });
    const timer = setInterval(look, AT_GATE_REFRESH_MS);
    return () => clearInterval(timer);
  }, [isAtGate, userId, queryClient]);
}

/** Refetched with the tickets, too. */
const transfersKey = (userId: string) => [...ticketsKey(userId), "transfers"] as const;

/** How often to check while an offer may be accepted. */
const OFFERED_REFRESH_MS = 10_000;

/** The transfers that the user offered or accepted, the latest first. */
export function useTransfers(userId: string) {
  const queryClient = useQueryClient();
  return useQuery({
    queryKey: transfersKey(userId),
    queryFn: async (): Promise<Transfer[]> => {
      const supabase = await getSupabase();
      const answer = await supabase
        .from("ticket_transfers")
        .select(transferColumns)
        .or(`from_user_id.eq.${userId},to_user_id.eq.${userId}`)
        .in("state", ["offered", "accepted"])
        .order("offered_at", { ascending: false });
      const transfers = readAnswer("load transfers", answer, rowsWith<Transfer>("id", "ticket_id", "state"));
      const before = queryClient.getQueryData<Transfer[]>(transfersKey(userId)) ?? [];
      // An offer that ended changed the ticket as well.
      if (before.some(({ id, state }) => state === "offered" && !isOpen(transfers, id)))
        void queryClient.invalidateQueries({ queryKey: ticketsKey(userId), exact: true });
      return transfers;
    },
    refetchInterval: ({ state }) =>
      state.data?.some((one) => one.state === "offered") ? OFFERED_REFRESH_MS : false,
  });
}

const isOpen = (transfers: readonly Transfer[], id: string): boolean =>
  transfers.some((one) => one.id === id && one.state === "offered");

/** The deadlines for transfers and for corrections. */
export function useDeadlines() {
  return useQuery({
    queryKey: ["ticket-deadlines"],
    queryFn: async () => {
      const supabase = await getSupabase();
      const [transfers, corrections] = await Promise.all([
        supabase.rpc("transfers_close_at"),
        supabase.rpc("corrections_close_at"),
      ]);
      const moment = (data: unknown) => {
        if (typeof data !== "string") throw new Error("The answer is no moment");
        return data;
      };
      return {
        transfers: readAnswer("load the end of transfers", transfers, moment),
        corrections: readAnswer("load the end of corrections", corrections, moment),
      };
    },
  });
}

/** A change to the user's tickets. Its error may be shown. Everything about them is refetched afterwards. */
export function useTicketChange(userId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ask<unknown>,
    // After a refusal too, because someone may have been faster. Not awaited: the new data may unmount the caller before it has
    // reported the result.
    onSettled: () => void queryClient.invalidateQueries({ queryKey: ticketsKey(userId) }),
  });
}

/**
 * Has the server draw the QR code of a ticket or extra. Returns the picture's URL, a new one with `renew`, for a picture that does
 * not load. @throws Error
 */
export async function generateQrCode(ticketId: string, renew: boolean): Promise<string> {
  const answer = await callFunction<{ success: boolean; qrCodeUrl: string }>("generate-qr-code", {
    ticketId,
    renew,
  });
  if (answer.success !== true || !answer.qrCodeUrl) throw new Error("Failed to generate QR code");
  return answer.qrCodeUrl;
}
