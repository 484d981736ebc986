import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { rowsWith, rowWith } from "#lib/api/read-answer.ts";
import { parseAnswer, read } from "#lib/lists/back-office-reads.ts";
import { CSV_PAGE } from "#lib/lists/csv.ts";
import { positionArgs, wholeList, type PagePosition, type PageStart } from "#lib/lists/list-pages.ts";
import type { ListSource } from "#lib/lists/list.ts";
import { getSupabase, type Supabase } from "#lib/api/supabase.ts";
import { ask, type Answer } from "#lib/session/ask.ts";
import { toast } from "#ui/overlays/toast.ts";
import type { Database } from "contract/database";
import { z } from "zod";
import { parseBookedOrders, type BookedOrder, type BookedRefund } from "./list/booked.ts";
import { parseActors } from "./history/history.ts";
import { parseAttendees, withItems, type OrderCase, type Row } from "./model.ts";
import {
  ORDERS_PAGE,
  parseOrderPage,
  type OrderFilter,
  type OrderPage,
  type OrderSummary,
} from "./list/order-list.ts";
import { ticketChangeColumns } from "./history/ticket-history.ts";
import type { Why } from "./refunds/refund-dialog.tsx";

export const orderList: ListSource<OrderSummary, OrderFilter, OrderPage> = {
  key: "admin-orders",
  size: ORDERS_PAGE,
  async read(filter, _size, place) {
    const answer = await read("orders", (supabase) =>
      supabase.rpc("get_recent_orders", {
        ...pageParams(filter),
        ...positionArgs(place),
      } as Database["public"]["Functions"]["get_recent_orders"]["Args"]),
    );
    return parseOrderPage(answer);
  },
  startAfter,
  report: (filter) => ({ failedAs: "FETCH_ERROR_ORDERS", table: "orders", params: pageParams(filter) }),
};

/** The three parameters that every refresh sends, the search and the other filters. */
function pageParams({ status, search, channel, tag }: OrderFilter) {
  return {
    page_size: ORDERS_PAGE,
    page_offset: 0,
    order_status: status ?? null,
    ...(search && { p_search: search }),
    ...(channel && { p_channel: channel }),
    ...(tag && { p_tag: tag }),
  };
}

function startAfter({ created_at: at, id }: { created_at: string; id: string }): PageStart {
  return { at, id };
}

/** Every order that matches the filter, with its money. */
export function bookedOrders({
  status,
  search,
  channel,
  tag,
}: OrderFilter): AsyncGenerator<readonly BookedOrder[]> {
  const fetchRows = async (place: PagePosition) =>
    parseBookedOrders(
      await read("orders", (supabase) =>
        supabase.rpc("list_orders_with_money", {
          ...(status && { order_status: status }),
          ...(search && { p_search: search }),
          ...(channel && { p_channel: channel }),
          ...(tag && { p_tag: tag }),
          page_size: CSV_PAGE,
          ...("after" in place && positionArgs(place)),
        }),
      ),
    );
  return wholeList(CSV_PAGE, fetchRows, startAfter);
}

/** Every refund, in any state. */
export function bookedRefunds(): AsyncGenerator<readonly BookedRefund[]> {
  const fetchRows = async (place: PagePosition) => {
    const rows = await read("refunds", (supabase) => {
      let rows = supabase
        .from("refunds")
        .select("*, orders(buyer_full_name, buyer_email), payments(currency), refund_notes(note)");
      if ("after" in place) {
        const { at, id } = place.after;
        rows = rows.lte("created_at", at).or(`created_at.lt."${at}",id.gt.${id}`);
      }
      return rows.order("created_at", { ascending: false }).order("id").limit(CSV_PAGE);
    });
    return rows.map(withItems);
  };
  return wholeList(CSV_PAGE, fetchRows, startAfter);
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Payments, refunds, mails and scans send no change events, so an open order polls for them. */
const ORDER_EVERY_MS = 3000;

const ADMISSIONS =
  "admissions(id, admitted_at, is_offline, conflicts_with, despite, left_at, undone_at, undo_reason, undone_by, undo_scan_id, admitted_by, device_id, device_name, gate_entrances!admissions_entrance_id_fkey(name))";
/** The view without the codes themselves, because finance reads orders too. */
const ORDER_CASE =
  `*, order_items(*), codes:order_codes(*, product_kinds(*), ${ADMISSIONS}), payments(*), disputes(is_open), refunds(*, refund_notes(note)), till_payments(*, till_shifts(seller_email)), comps(guest_lists(reason)), order_notes(*), order_tags(tag), ${ticketChangeColumns}` as const;

/** One order with everything that belongs to it; null when it does not exist. */
export function useOrderCase(id: string) {
  return useQuery({
    queryKey: ["admin-order", id],
    refetchInterval: ({ state }) => (state.data === null ? false : ORDER_EVERY_MS),
    queryFn: () => fetchOrderCase(id),
  });
}

interface FetchedOrder extends Omit<OrderCase, "refunds" | "attendees">, Pick<Row<"orders">, "attendees"> {
  refunds: (Omit<OrderCase["refunds"][number], "items"> & Pick<Row<"refunds">, "items">)[];
}
const orderOf = rowWith<FetchedOrder>(
  "id",
  "attendees",
  "order_items",
  "codes",
  "payments",
  "disputes",
  "refunds",
  "till_payments",
  "order_notes",
  "order_tags",
);
const auditOf = rowsWith<Row<"audit_logs">>("id", "action_type", "created_at");
const outboxOf = rowsWith<Row<"outbox">>("id", "kind", "dedupe_key", "created_at");

/** @throws Error when it could not be read, all of it */
export async function fetchOrderCase(id: string) {
  if (!uuid.test(id)) return null;
  const supabase = await getSupabase();
  const [order, audit, outbox, actors] = await Promise.all([
    supabase.from("orders").select(ORDER_CASE).eq("id", id).maybeSingle(),
    supabase.from("audit_logs").select("*").eq("table_name", "orders").eq("record_id", id),
    supabase.from("outbox").select("*").eq("payload->>order_id", id),
    supabase.rpc("get_order_actors", { p_order_id: id }),
  ]);
  const failure = order.error ?? audit.error ?? outbox.error ?? actors.error;
  if (failure) throw new Error(`Failed to fetch orders: ${failure.message}`);
  const found = orderOf(order.data);
  return (
    found && {
      order: {
        ...found,
        attendees: parseAttendees(found.attendees),
        refunds: found.refunds.map(withItems),
      },
      audit: auditOf(audit.data),
      outbox: outboxOf(outbox.data),
      actors: parseActors(actors.data),
    }
  );
}

/** Which of an order's addresses refused a mail, and why. Only administrators may read it. */
export function useBounces(order: OrderCase, isAdmin: boolean) {
  const addresses = [order.buyer_email, ...order.codes.map(({ attendee_email }) => attendee_email ?? "")];
  const asked = [...new Set(addresses.map((address) => address.toLowerCase()))].filter((one) => one !== "");
  return useQuery({
    queryKey: ["admin-order", order.id, "bounces", asked],
    enabled: isAdmin && asked.length > 0,
    queryFn: async () =>
      parseAnswer(
        "bounces",
        bounces,
        await read("bounces", (supabase) =>
          supabase.from("mail_bounces").select("email, reason, bounced_at").in("email", asked),
        ),
      ),
  });
}
const bounces = z.array(z.object({ email: z.string(), reason: z.string(), bounced_at: z.string() }));

export interface OrderAct {
  run: (supabase: Supabase, orderId: string) => PromiseLike<Answer<unknown>>;
  success: string;
  failure: string;
}

export const resendMail: OrderAct = {
  run: (supabase, id) => supabase.rpc("resend_order_mail", { p_order_id: id }),
  success: "The order email is on its way again",
  failure: "Failed to resend the order email",
};
/** `owed`: the cents still owed that the administrator was told of. */
export function acknowledge(isHandled: boolean, owed: number): OrderAct {
  const what = isHandled ? "handled" : "not handled";
  return {
    run: (supabase, id) =>
      supabase.rpc("acknowledge_order", { p_order_id: id, p_handled: isHandled, p_owed_cents: owed }),
    success: `The order is marked as ${what}`,
    failure: `Failed to mark the order as ${what}`,
  };
}
export const cancelOrder: OrderAct = {
  run: (supabase, id) => supabase.rpc("cancel_order", { p_order_id: id }),
  success: "Order canceled",
  failure: "Failed to cancel the order",
};
interface Chosen {
  tickets: string[];
  /** Order items. */
  extras: string[];
}

/**
 * Refunds the whole order when nothing is chosen. `key` identifies the attempt, so sending it twice refunds
 * once. `cents` is what the dialog announced.
 */
export function refund(key: string, why: Why, cents: number, chosen?: Chosen): OrderAct {
  return {
    run: (supabase, id) =>
      supabase.rpc("refund_order", {
        p_key: key,
        p_order_id: id,
        ...(chosen && { p_ticket_ids: chosen.tickets, p_extra_item_ids: chosen.extras }),
        ...whyArgs(why),
      }),
    success: cents > 0 ? "Refund requested" : "Canceled. There was nothing to refund.",
    failure: "Failed to refund the order",
  };
}

const whyArgs = ({ reason, note }: Why) => ({
  p_reason: reason,
  ...(note.trim() && { p_note: note.trim() }),
});

/** Every ticket stays valid. `left` is the remaining amount that the screen showed. */
export function refundAmount(key: string, cents: number, left: number, why: Why): OrderAct {
  return {
    run: (supabase, id) =>
      supabase.rpc("refund_amount", {
        p_key: key,
        p_order_id: id,
        p_cents: cents,
        p_left_cents: left,
        ...whyArgs(why),
      }),
    success: "Refund requested",
    failure: "Failed to refund the amount",
  };
}

/** Assigns a refund made at the provider to tickets. */
export function voidForRefund(refundId: string, { tickets, extras }: Chosen, note: string): OrderAct {
  return {
    run: (supabase) =>
      supabase.rpc("void_for_refund", {
        p_refund_id: refundId,
        p_ticket_ids: tickets,
        p_extra_item_ids: extras,
        ...(note.trim() && { p_note: note.trim() }),
      }),
    success: "Tickets voided",
    failure: "Failed to void the tickets",
  };
}

/** The id of an entry code. */
export const checkIn =
  (codeId: string) =>
  (reason: string): OrderAct => ({
    run: (supabase) => supabase.rpc("check_in_code", { p_code_id: codeId, p_reason: reason }),
    success: "Checked in",
    failure: "Failed to check in",
  });

export const undoAdmission =
  (admissionId: string) =>
  (reason: string): OrderAct => ({
    run: (supabase) => supabase.rpc("undo_admission", { p_admission_id: admissionId, p_reason: reason }),
    success: "Check-in undone",
    failure: "Failed to undo the check-in",
  });

export const addNote = (body: string): OrderAct => ({
  run: (supabase, id) => supabase.rpc("add_order_note", { p_order_id: id, p_body: body }),
  success: "Note added",
  failure: "Failed to add the note",
});

export const tagOrder = (tag: string, on: boolean): OrderAct => ({
  run: (supabase, id) => supabase.rpc("tag_order", { p_order_id: id, p_tag: tag, p_on: on }),
  success: on ? "Tag added" : "Tag removed",
  failure: "Failed to change the tags",
});

interface Person {
  readonly name: string;
  readonly email: string;
}

/** `was`: as the editor saw it. A change that somebody else made since is not undone. */
export const changeBuyer = ({ name, email }: Person, was: Person, send: boolean): OrderAct => ({
  run: (supabase, id) =>
    supabase.rpc("change_buyer", {
      p_order_id: id,
      p_name: name,
      p_email: email,
      p_send: send,
      p_was: { ...was },
    }),
  success: "Buyer changed",
  failure: "Failed to change the buyer",
});

export const correctAttendee = (
  ticketId: string,
  { name, email, reason }: Person & { reason: string },
  was: Person,
): OrderAct => ({
  run: (supabase) =>
    supabase.rpc("correct_attendee", {
      p_ticket_id: ticketId,
      p_name: name,
      p_email: email,
      p_reason: reason,
      p_was: { ...was },
    }),
  success: "Saved. The new code is on its way.",
  failure: "Failed to edit the attendee",
});

/** `refund`: what is left to do by hand. */
export const voidSale =
  (refund: string) =>
  (reason: string, key: string): OrderAct => ({
    run: (supabase, id) => supabase.rpc("void_door_sale", { p_order_id: id, p_reason: reason, p_key: key }),
    success: `Sale voided. ${refund}`,
    failure: "Failed to void the sale",
  });

export const revokeComp = (reason: string): OrderAct => ({
  run: (supabase, id) => supabase.rpc("revoke_comp", { p_order_id: id, p_reason: reason }),
  success: "Comp revoked",
  failure: "Failed to revoke the comp",
});

const orderTags = z.array(z.object({ tag: z.string(), orders: z.number() }));

/** Every tag in use, for the list's filter. */
export function useOrderTags() {
  return useQuery({
    queryKey: ["admin-orders", "tags"],
    queryFn: async () =>
      parseAnswer("tags", orderTags, await read("tags", (supabase) => supabase.rpc("list_order_tags"))),
  });
}

export function retryRefund(refundId: string): OrderAct {
  return {
    run: (supabase) => supabase.rpc("retry_refund", { p_refund_id: refundId }),
    success: "Refund requested again",
    failure: "Failed to refund again",
  };
}

export function useOrderAct(orderId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (act: OrderAct) => ask((supabase) => act.run(supabase, orderId)),
    onSuccess: (_nothing, act) => toast.success(act.success),
    onError: (error, act) => toast.error(act.failure, error.message),
    onSettled: () =>
      Promise.all(
        ["admin-order", "admin-orders", "sales-overview", "inventory-status"].map((key) =>
          queryClient.invalidateQueries({ queryKey: [key] }),
        ),
      ),
  });
}
