import { useQuery } from "@tanstack/react-query";
import { logError } from "#lib/error-log.ts";
import { getSupabase } from "#lib/supabase.ts";

/** Stock moves while one chooses: looked at again this often, and whenever the tab comes back. */
const REFRESH_MS = 15_000;

async function fetchTicketTypes() {
  const supabase = await getSupabase();
  const { data, error } = await supabase.from("ticket_types").select("*").order("price", { ascending: true });
  return logged("load ticket types", data, error);
}

async function fetchParkingPasses() {
  const supabase = await getSupabase();
  const { data, error } = await supabase
    .from("parking_passes")
    .select("*")
    .order("price", { ascending: true });
  return logged("load parking passes", data, error);
}

/** Ticket types and parking passes by price ascending. Fails as a whole when either fails. */
export function useCatalogue() {
  const ticketTypes = useQuery({
    queryKey: ["ticket_types"],
    queryFn: fetchTicketTypes,
    refetchInterval: REFRESH_MS,
  });
  const parkingPasses = useQuery({
    queryKey: ["parking_passes"],
    queryFn: fetchParkingPasses,
    refetchInterval: REFRESH_MS,
  });
  const catalogue =
    ticketTypes.data && parkingPasses.data
      ? { ticketTypes: ticketTypes.data, parkingPasses: parkingPasses.data }
      : undefined;
  return {
    catalogue,
    // What was read once stays on the screen when looking again fails.
    failed: !catalogue && (ticketTypes.isError || parkingPasses.isError),
    retry: () => void Promise.all([ticketTypes.refetch(), parkingPasses.refetch()]),
  };
}

function logged<Rows>(what: string, data: Rows | null, error: { message: string } | null): Rows {
  if (data && !error) return data;
  logError(what, error?.message ?? "no rows");
  throw new Error(error?.message ?? "no rows");
}
