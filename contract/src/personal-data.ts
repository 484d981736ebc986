// What is kept about people: where, who reads it, whether "Download My Data" has it, and for how long. The privacy page shows these rows.
// supabase/tests/personal-data.test.ts compares them with the database, with the download, and with the table in docs/OPERATING.md.

export interface PersonalData {
  /** For the people it is about. */
  readonly what: string;
  readonly readBy: string;
  readonly kept: string;
  /** Its tables, each with the members of the download that have its rows, or "" with the reason in `notInDownload`. */
  readonly tables: Readonly<Record<string, string>>;
  readonly notInDownload?: string;
}

export const personalData: readonly PersonalData[] = [
  {
    what: "Your account: email address or phone number, your role, and how you sign in (your password only as a one-way hash)",
    readBy: "you and our administrators; passwords by no one",
    kept: "until you delete your account; 30 days if you never confirmed it",
    tables: {
      "auth.users": "account",
      "public.user_roles": "account",
      "auth.identities": "sign_in",
      "auth.mfa_factors": "sign_in",
      "auth.webauthn_credentials": "sign_in",
      "auth.mfa_recovery_code_sets": "",
      "auth.mfa_recovery_codes": "",
      "auth.sign_ups": "",
    },
    notInDownload: "hashes of codes and of a sign-up's password",
  },
  {
    what: "Where you are signed in: browser, IP address and times",
    readBy: "you",
    kept: "7 days after the session ends",
    tables: {
      "auth.sessions": "sign_in",
      "auth.refresh_tokens": "",
      "auth.mfa_amr_claims": "",
    },
    notInDownload: "a session's tokens and steps",
  },
  {
    what: "Links and codes that sign you in, and challenges for two-step verification and passkeys",
    readBy: "no one",
    kept: "an hour to a day",
    tables: {
      "auth.one_time_tokens": "",
      "auth.one_time_codes": "",
      "auth.flow_state": "",
      "auth.saml_relay_states": "",
      "auth.mfa_challenges": "",
      "auth.webauthn_challenges": "",
    },
    notInDownload: "hashes, over within a day",
  },
  {
    what: "Your orders: name, email and phone, what you bought, payments and refunds, and the name and email of each attendee",
    readBy: "you, our administrators and our finance team; at the gate, attendees' names",
    kept: "as long as tax law requires; without names from 120 days after the festival if you delete your account",
    tables: {
      "public.orders": "orders",
      "public.order_items": "orders",
      "public.payments": "orders",
      "public.refunds": "orders",
      "public.entry_codes": "tickets, parking",
      "public.ticket_transfers": "transfers",
      "public.attendee_corrections": "corrections",
      "public.waitlist_entries": "waitlist",
      "public.order_words": "",
      "public.disputes": "",
    },
    notInDownload: "an index of the same names, and what a bank reported",
  },
  {
    what: "What our team writes while handling an order, and guest lists",
    readBy: "our administrators and our finance team",
    kept: "as long as the order",
    tables: {
      "public.order_notes": "",
      "public.order_tags": "",
      "public.refund_notes": "",
      "public.guest_lists": "",
      "public.comps": "",
    },
    notInDownload: "working notes; ask us for a copy",
  },
  {
    what: "The IP address you ordered from or waited in line from, to prevent fraud",
    readBy: "no one; our system counts orders with it",
    kept: "two days",
    tables: { "public.order_addresses": "", "public.waiting_places": "" },
    notInDownload: "gone within two days",
  },
  {
    what: "After you delete your account: a keyed one-way hash of your email address, so that limits for each buyer still count",
    readBy: "no one; our system compares it",
    kept: "as long as your orders keep their names",
    tables: { "public.former_buyers": "" },
    notInDownload: "it has no account anymore",
  },
  {
    what: "Emails we send you, and addresses that refuse them",
    readBy: "our administrators",
    kept: "30 days after they were sent or given up; messages to buyers, and refused addresses, until we delete them",
    tables: {
      "public.outbox": "",
      "public.messages": "",
      "public.message_recipients": "",
      "public.mail_bounces": "",
      "auth.mail_outbox": "",
      "auth.mail_requests": "",
    },
    notInDownload: "you have the emails",
  },
  {
    what: "If you unsubscribe from our messages: a keyed one-way hash of your email address",
    readBy: "no one; our system compares it before it sends a message",
    kept: "until you ask for messages again, also after you delete your account",
    tables: { "public.message_opt_outs": "" },
    notInDownload: "only a hash, without an account",
  },
  {
    what: "What you write in the vendor and sponsor forms, with your pictures",
    readBy: "our administrators",
    kept: "until we delete it",
    tables: {
      "public.vendor_applications": "vendor_applications",
      "public.sponsor_inquiries": "sponsor_inquiries",
      "storage.objects": "",
    },
    notInDownload: "the files of pictures; ask us for a copy",
  },
  {
    what: "Pages you open: for how long, from where, with what kind of device, and your account if you are signed in",
    readBy: "our administrators",
    kept: "90 days",
    tables: {
      "public.site_visits": "visits",
      "public.visit_sources": "",
    },
    notInDownload: "counters of the same visits, gone within three hours",
  },
  {
    what: "When and where your ticket was scanned",
    readBy: "our administrators and the gate",
    kept: "as long as the ticket; refused scans, 30 days",
    tables: { "public.admissions": "", "public.gate_refusals": "" },
    notInDownload: "your ticket says when it was scanned",
  },
  {
    what: "What staff do: invitations, tills, gate phones, changes to the festival, and a log of administrators' changes and of sign-ins, with IP addresses",
    readBy: "our administrators; tills, our finance team",
    kept: "until we delete it; sign-ins, 365 days",
    tables: {
      "public.staff_invitations": "",
      "public.till_shifts": "",
      "public.till_payments": "",
      "public.gate_invitations": "",
      "public.gate_devices": "",
      "public.festival_sections": "",
      "public.festival_changes": "",
      "public.refund_runs": "",
      "public.audit_logs": "",
      "auth.audit_log_entries": "",
    },
    notInDownload: "records of work, not of a buyer",
  },
  {
    what: "How often an address or an account tried something that is limited",
    readBy: "no one; our system counts",
    kept: "a day",
    tables: { "public.rate_limits": "", "auth.sign_in_failures": "" },
    notInDownload: "counters, over within a day",
  },
];
