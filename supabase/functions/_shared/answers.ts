// What SQL functions answer, where their definition does not say it: what a JSON answer holds, what may be null, and which words a
// text can be.
import type { Database } from "contract/database";
import type { PublishedSections } from "contract/festival/facts";
import type { SectionOf } from "contract/festival/sections";
import type { OptOutAnswer } from "contract/message-opt-outs";
import type { OrderForMail } from "./mail/order-mails.ts";
import type { WaitlistOffer } from "./mail/waitlist-mails.ts";
import type { Reservation } from "./reservation.ts";
import type { RoomState } from "./waiting-room/room.ts";

/** By the name of the function. */
export interface Answers {
  answer_opt_out: OptOutAnswer["state"];
  claim_message_mails: readonly MessageRecipient[];
  confirm_free_order: {
    readonly status: "confirmed" | "already_confirmed" | "not_free" | "cancelled" | "not_found";
  };
  confirm_order: Confirmation;
  /** In the order of the payments; null for each that confirm_order must decide. */
  confirm_orders: readonly (Confirmation | null)[];
  /** In the order of what was asked. */
  consume_subject_limits: readonly boolean[];
  due_holds: readonly DueHold[];
  festival_facts: SectionOf<"facts">;
  find_gate_invitation: GateInvitation | null;
  get_festival: PublishedSections;
  /** Null if the caller works elsewhere, no longer works here, or has not taken the second step that the role requires. */
  office_role: "admin" | "finance" | null;
  orders_to_mail: readonly OrderToMail[];
  read_codes: readonly EntryCode[];
  read_offer: WaitlistOffer | null;
  read_order: OrderInFull | null;
  /** In the order of the carts. */
  reserve_in_turn: readonly Reservation[];
  send_staff_invitation: "sent" | "sent_before" | "not_open" | "has_account";
  /** Whether each session is live and has completed its second step. */
  usable_sessions: readonly (boolean | null)[];
  visit_waiting_room: RoomState;
  write_codes: readonly { readonly id: string; readonly token: string; readonly url: string }[];
}

type Rows = { [Table in keyof Database["public"]["Tables"]]: Database["public"]["Tables"][Table]["Row"] };

export interface OrderInFull extends Omit<Rows["orders"], "attendees"> {
  readonly order_items: readonly Rows["order_items"][];
  readonly payments: readonly Rows["payments"][];
  readonly refunds: readonly (Omit<Rows["refunds"], "items"> & {
    readonly items: readonly RefundedItem[];
    readonly payments: Rows["payments"];
  })[];
}

/** May be void. */
export interface EntryCode extends Omit<Rows["entry_codes"], "changed_xid"> {
  readonly order_items: Rows["order_items"];
  readonly products: Rows["products"];
  readonly product_kinds: Rows["product_kinds"];
  /** The festival's code. */
  readonly event: string;
}

/** What signing a code and writing it to its row needs. */
export type CodeToSign = Pick<
  EntryCode,
  "id" | "product_id" | "issue_number" | "event" | "voided_at" | "qr_code_data" | "qr_code_url"
>;

/** With its valid codes: by kind, each in the order of purchase. */
export interface OrderToMail extends OrderForMail, Pick<Rows["orders"], "user_id" | "status"> {
  readonly codes: readonly CodeToMail[];
}

export interface CodeToMail extends Omit<CodeToSign, "event"> {
  readonly user_id: string | null;
  readonly transferred_issue: number | null;
  readonly attendee_name: string | null;
  readonly attendee_email: string | null;
  readonly products: Pick<Rows["products"], "name">;
  readonly product_kinds: Rows["product_kinds"];
}

export interface RefundedItem {
  readonly kind: string;
  readonly name: string;
  /** 0 when only money is returned. */
  readonly quantity: number;
  /** Parking that came with VIP. */
  readonly included: boolean;
  /** In dollars. */
  readonly amount: number;
}

export interface Confirmation {
  readonly status: "confirmed" | "already_confirmed" | "refund_queued" | "not_found";
  readonly order_id: string | null;
  /** Why the payment is refunded; absent otherwise. */
  readonly reason?: string;
}

export interface DueHold {
  readonly order_id: string;
  readonly total_cents: number;
  readonly payment_intent_id: string | null;
}

interface GateInvitation {
  readonly id: string;
  readonly entrance_id: string | null;
  readonly is_full: boolean;
  readonly has_joined: boolean;
}

interface MessageRecipient {
  readonly number: number;
  readonly name: string;
  readonly email: string;
  readonly subject: string;
  readonly body: string;
  /** Null if the message announces no change. */
  readonly change: ChangeInMail | null;
  readonly token: string | null;
}

/** The day was moved or cancelled. */
export interface ChangeInMail {
  readonly kind: "moved" | "cancelled";
  /** Deadline for buyers to ask for a refund; null if they cannot. */
  readonly ask_until: string | null;
  readonly refunds: "everybody" | "on_request" | "none";
  /** How the recipient paid for their own order; null if they did not order. */
  readonly paid: "online" | "door" | "nothing" | null;
}
