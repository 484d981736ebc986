// A phone at the gate without its screen: signed in with the role gate, it makes the same calls as the app.
import { randomUUID } from "node:crypto";
import { type GateScan, type GateScanAnswer, readGateOpened, readGateScanAnswers } from "contract/gate";
import { createAccount } from "../shop/accounts.ts";
import { serviceClient, visitorClient } from "../shop/arrival.ts";
import { status } from "../fixtures.ts";

/** The entrances that the migrations add. */
export const entrances = {
  main: { id: "0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e3001", name: "Main Entrance" },
  express: { id: "0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e3002", name: "VIP Express" },
  parking: { id: "0c5a9f0e-4f3b-4d6e-9b1a-5a1d3c7e3003", name: "Parking" },
} as const;

export interface GateDevice {
  readonly id: string;
  readonly name: string;
  /** By camera and online, unless the scan overrides it. */
  scan(...scans: readonly Partial<GateScan>[]): Promise<GateScanAnswer[]>;
}

export async function openGateDevice(
  name: string,
  entrance: keyof typeof entrances = "main",
): Promise<GateDevice> {
  const account = await createAccount(status());
  const { error } = await serviceClient().from("user_roles").insert({ user_id: account.id, role: "gate" });
  if (error) throw error;
  const supabase = visitorClient();
  const signedIn = await supabase.auth.signInWithPassword(account);
  if (signedIn.error) throw signedIn.error;
  const id = randomUUID();
  const opened = await supabase.rpc("gate_open", {
    p_device_id: id,
    p_name: name,
    p_entrance_id: entrances[entrance].id,
  });
  if (opened.error) throw opened.error;
  return {
    id,
    name: readGateOpened(opened.data).device.name,
    async scan(...scans) {
      const filled = scans.map((scan) => ({
        id: randomUUID(),
        code_id: null,
        issue_number: 1,
        action: "in",
        at: Date.now(),
        decided: null,
        by: "camera",
        ...scan,
      }));
      const answer = await supabase.rpc("gate_scan", { p_device_id: id, p_scans: filled });
      if (answer.error) throw answer.error;
      return readGateScanAnswers(answer.data).results;
    },
  };
}

/** The codes of a paid order. */
export async function codesOf(orderId: string): Promise<{ tickets: string[]; permits: string[] }> {
  const service = serviceClient();
  const [tickets, permits] = await Promise.all([
    service.from("tickets").select("id").eq("order_id", orderId).order("position"),
    service.from("entry_codes").select("id").eq("order_id", orderId).eq("kind", "parking").order("position"),
  ]);
  const failure = tickets.error ?? permits.error;
  if (failure) throw failure;
  const ids = (rows: { id: unknown }[] | null) => (rows ?? []).map(({ id }) => String(id));
  return { tickets: ids(tickets.data), permits: ids(permits.data) };
}
