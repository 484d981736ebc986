import { useQuery } from "@tanstack/react-query";
import { logError } from "#lib/browser/error-log.ts";
import { getSupabase } from "#lib/api/supabase.ts";
import { parseSale } from "./model.ts";

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

async function fetchSale() {
  const supabase = await getSupabase();
  const { data, error } = await supabase.rpc("get_sale");
  return parseSale(logged("load the state of the sale", data, error));
}

/** Ticket types and parking passes by price ascending, and whether they are for sale. Fails as a whole when one fails. */
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
  const sale = useQuery({ queryKey: ["sale"], queryFn: fetchSale, refetchInterval: REFRESH_MS });
  const catalogue =
    ticketTypes.data && parkingPasses.data && sale.data
      ? {
          // Administrators and holders of tickets read hidden ones too.
          ticketTypes: ticketTypes.data.filter(({ is_hidden }) => !is_hidden),
          parkingPasses: parkingPasses.data.filter(({ is_hidden }) => !is_hidden),
          sale: sale.data,
        }
      : undefined;
  return {
    catalogue,
    // What was read once stays on the screen when looking again fails.
    failed: !catalogue && (ticketTypes.isError || parkingPasses.isError || sale.isError),
    retry: () => void Promise.all([ticketTypes.refetch(), parkingPasses.refetch(), sale.refetch()]),
  };
}

function logged<Rows>(what: string, data: Rows | null, error: { message: string } | null): Rows {
  if (data && !error) return data;
  logError(what, error?.message ?? "no rows");
  throw new Error(error?.message ?? "no rows");
}
