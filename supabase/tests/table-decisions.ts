// What is decided about each table: who reads it, which of its columns a visitor or buyer sees, and what may be written without a
// function. table-rights.test.ts compares this with the catalog, row-level-security.test.ts with what people get.

/** Rows of buyer A that each may see: "own" means A sees them and B does not. */
export const readable: Record<
  string,
  { anon: boolean; buyer: "own" | "all" | "none"; admin: boolean; staff?: readonly ("finance" | "gate")[] }
> = {
  admissions: { anon: false, buyer: "none", admin: true },
  attendee_corrections: { anon: false, buyer: "own", admin: true, staff: ["finance"] },
  audit_logs: { anon: false, buyer: "none", admin: true },
  comps: { anon: false, buyer: "none", admin: true },
  disputes: { anon: false, buyer: "none", admin: true, staff: ["finance"] },
  entry_codes: { anon: false, buyer: "own", admin: true },
  entry_keys: { anon: false, buyer: "none", admin: true },
  festival: { anon: true, buyer: "all", admin: true, staff: ["finance", "gate"] },
  festival_changes: { anon: false, buyer: "none", admin: true, staff: ["finance"] },
  festival_sections: { anon: true, buyer: "all", admin: true, staff: ["finance", "gate"] },
  gate_devices: { anon: false, buyer: "none", admin: true },
  gate_entrances: { anon: false, buyer: "none", admin: true, staff: ["gate"] },
  gate_invitations: { anon: false, buyer: "none", admin: true },
  gate_refusals: { anon: false, buyer: "none", admin: true },
  guest_lists: { anon: false, buyer: "none", admin: true },
  order_notes: { anon: false, buyer: "none", admin: true, staff: ["finance"] },
  order_tags: { anon: false, buyer: "none", admin: true, staff: ["finance"] },
  till_payments: { anon: false, buyer: "none", admin: true, staff: ["finance"] },
  till_shifts: { anon: false, buyer: "none", admin: true, staff: ["finance"] },
  gate_settings: { anon: false, buyer: "none", admin: true, staff: ["gate"] },
  order_codes: { anon: false, buyer: "none", admin: true, staff: ["finance"] },
  order_items: { anon: false, buyer: "own", admin: true, staff: ["finance"] },
  orders: { anon: false, buyer: "own", admin: true, staff: ["finance"] },
  mail_bounces: { anon: false, buyer: "none", admin: true },
  message_recipients: { anon: false, buyer: "none", admin: true },
  messages: { anon: false, buyer: "none", admin: true },
  // Finance reads only refunds.
  outbox: { anon: false, buyer: "none", admin: true, staff: ["finance"] },
  parking_passes: { anon: true, buyer: "all", admin: true, staff: ["finance", "gate"] },
  parking_products: { anon: true, buyer: "all", admin: true, staff: ["finance", "gate"] },
  payments: { anon: false, buyer: "own", admin: true, staff: ["finance"] },
  product_kinds: { anon: true, buyer: "all", admin: true, staff: ["finance", "gate"] },
  products: { anon: true, buyer: "all", admin: true, staff: ["finance", "gate"] },
  promo_codes: { anon: false, buyer: "none", admin: true, staff: ["finance"] },
  provider_books: { anon: false, buyer: "none", admin: true, staff: ["finance"] },
  provider_transactions: { anon: false, buyer: "none", admin: true, staff: ["finance"] },
  refund_notes: { anon: false, buyer: "none", admin: true, staff: ["finance"] },
  refund_run_skips: { anon: false, buyer: "none", admin: true, staff: ["finance"] },
  refund_runs: { anon: false, buyer: "none", admin: true, staff: ["finance"] },
  refunds: { anon: false, buyer: "own", admin: true, staff: ["finance"] },
  shop_settings: { anon: false, buyer: "none", admin: true },
  site_visits: { anon: false, buyer: "none", admin: true },
  sponsor_inquiries: { anon: false, buyer: "none", admin: true },
  staff_invitations: { anon: false, buyer: "none", admin: true },
  staff_settings: { anon: false, buyer: "none", admin: true },
  ticket_transfers: { anon: false, buyer: "own", admin: true, staff: ["finance"] },
  ticket_types: { anon: true, buyer: "all", admin: true, staff: ["finance", "gate"] },
  tickets: { anon: false, buyer: "own", admin: true },
  // Their own row.
  user_roles: { anon: false, buyer: "own", admin: true, staff: ["finance", "gate"] },
  vendor_applications: { anon: false, buyer: "none", admin: true },
  waitlist_entries: { anon: false, buyer: "own", admin: true },
};

/** Tables that only the service and the functions use. */
export const closed: readonly string[] = [
  "address_key",
  "card_declines",
  "former_buyers",
  "gate_counts_cache",
  "gate_places",
  "message_opt_outs",
  "order_addresses",
  "order_returns",
  "order_words",
  "rate_limits",
  "reconciliation",
  "refund_attempts",
  "sale_pace",
  "scans_broadcast",
  "stock_broadcast",
  "visit_sources",
  "waiting_places",
  "waiting_room",
];

/** The tables behind views. */
export const behind: Record<string, string> = {
  order_codes: "entry_codes",
  parking_passes: "products",
  parking_products: "products",
  ticket_types: "products",
  tickets: "entry_codes",
};

/** The columns of what a visitor or buyer reads, a row or all of them. Another column is another decision. */
export const columns: Readonly<Record<string, string>> = {
  attendee_corrections:
    "id ticket_id order_id corrected_by by_admin reason old_name old_email new_name new_email corrected_at",
  entry_codes:
    "id order_id order_item_id product_id kind user_id position attendee_name attendee_email has_attendee issue_number transferred_issue qr_code_data qr_code_url plate checked_in_at is_checked_in created_at voided_at changed_xid",
  festival:
    "only_row title tagline organizer starts_at ends_at time_zone place address email phone transfer_days_before code status",
  order_items:
    "id order_id position product_id kind name quantity unit_price discount included refunded refunded_amount",
  orders:
    "id user_id status has_place total_amount discount_amount fee_amount fee_name fee_is_refunded fee_refunded promo_code_id promo_code buyer_full_name buyer_email buyer_phone_number attendees stripe_session_id payment_intent_id ticket_count hold_expires_at expiry_check_at cancel_reason confirmed_at cancelled_at created_at updated_at idempotency_key request_hash channel acknowledged_at names_until",
  parking_passes:
    "id type_name is_general description price on_sale sale_opens_at sale_closes_at is_hidden current_inventory total_inventory held sold created_at updated_at version",
  parking_products:
    "id kind name is_vip is_general description price on_sale sale_opens_at sale_closes_at is_hidden current_inventory total_inventory held sold waiting offered created_at updated_at version",
  payments:
    "payment_intent_id order_id amount currency status failure_message succeeded_at created_at updated_at",
  product_kinds: "kind position label plural title admits needs_attendee has_code is_vehicle one_per_order",
  products:
    "id kind name is_vip is_general description price on_sale sale_opens_at sale_closes_at is_hidden current_inventory total_inventory held sold waiting offered created_at updated_at version",
  refunds:
    "id payment_intent_id order_id amount reason status provider_refund_id failure_message retry_of created_at updated_at items fee run_id superseded succeeded_at",
  ticket_types:
    "id name is_vip description price on_sale sale_opens_at sale_closes_at is_hidden current_inventory total_inventory held sold waiting offered created_at updated_at version",
  tickets:
    "id order_id order_item_id ticket_type_id user_id position attendee_name attendee_email issue_number transferred_issue qr_code_data qr_code_url checked_in_at is_checked_in created_at voided_at changed_xid",
  user_roles: "user_id role created_at expires_at invitation_id sells_at_door",
  waitlist_entries:
    "id number ticket_type_id user_id quantity state offered offer_expires_at order_id created_at updated_at",
  festival_sections: "id content published_at",
  gate_invitations: "id label entrance_id phones created_by created_at expires_at revoked_at revoked_by",
  ticket_transfers:
    "id offer_id ticket_id order_id ticket_name from_user_id from_name from_attendee to_name to_email to_user_id state expired_because issue_number offered_at ended_at",
};

/** A visitor's own visits: what the database lets them find to update them. */
export const visits = "id visit_duration updated_at";

/** What may be written without a function: by role, privilege and table, the columns. */
export const writable: Readonly<Record<string, string>> = {
  "anon INSERT site_visits":
    "id session_id user_id page_path referrer user_agent device_type browser_name visit_duration",
  "anon UPDATE site_visits": "visit_duration updated_at",
  "authenticated DELETE gate_entrances": "*",
  "authenticated DELETE user_roles": "*",
  "authenticated INSERT gate_entrances": "name admits ticket_type_ids is_express is_open",
  "authenticated INSERT parking_passes":
    "type_name description price on_sale sale_opens_at sale_closes_at is_hidden current_inventory total_inventory",
  "authenticated INSERT parking_products":
    "name description price on_sale sale_opens_at sale_closes_at is_hidden current_inventory total_inventory",
  "authenticated INSERT products":
    "kind name description price on_sale sale_opens_at sale_closes_at is_hidden current_inventory total_inventory",
  "authenticated INSERT promo_codes":
    "code note amount_off percent_off ticket_type_ids max_uses max_uses_per_buyer is_paused opens_at closes_at",
  "authenticated INSERT site_visits":
    "id session_id user_id page_path referrer user_agent device_type browser_name visit_duration",
  "authenticated INSERT ticket_types":
    "name description price on_sale sale_opens_at sale_closes_at is_hidden current_inventory total_inventory",
  "authenticated INSERT user_roles": "user_id role expires_at sells_at_door",
  "authenticated UPDATE gate_entrances": "name admits ticket_type_ids is_express is_open",
  "authenticated UPDATE gate_settings": "doors_open_at doors_close_at reentry",
  "authenticated UPDATE parking_passes":
    "type_name description price on_sale sale_opens_at sale_closes_at is_hidden current_inventory total_inventory",
  "authenticated UPDATE parking_products":
    "name description price on_sale sale_opens_at sale_closes_at is_hidden current_inventory total_inventory",
  "authenticated UPDATE products":
    "name description price on_sale sale_opens_at sale_closes_at is_hidden current_inventory total_inventory",
  "authenticated UPDATE promo_codes":
    "code note amount_off percent_off ticket_type_ids max_uses max_uses_per_buyer is_paused opens_at closes_at",
  "authenticated UPDATE shop_settings":
    "hold_duration max_tickets_per_buyer max_orders_per_buyer max_orders_per_address address_hold_share max_units_per_door_sale on_sale sale_opens_at sale_closes_at vip_includes_parking fee_name fee_percent fee_per_ticket fee_per_order fee_is_refunded fee_in_prices waitlist_offer_duration waiting_room_seconds",
  "authenticated UPDATE site_visits": "visit_duration updated_at",
  "authenticated UPDATE staff_settings": "two_step_roles",
  "authenticated UPDATE ticket_types":
    "name description price on_sale sale_opens_at sale_closes_at is_hidden current_inventory total_inventory",
  "authenticated UPDATE user_roles": "user_id role expires_at sells_at_door",
  "authenticated UPDATE vendor_applications": "status",
};
