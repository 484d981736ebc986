import { useQuery } from "@tanstack/react-query";
import type { PublishedSections } from "contract/festival/facts";
import type { TicketAllowance } from "contract/shop/ticket-allowance";
import { readAnswer, rowsWith } from "#lib/api/read-answer.ts";
import { getSupabase } from "#lib/api/supabase.ts";
import { logError } from "#lib/browser/error-log.ts";
import { festivalNow, show } from "#lib/festival/content.ts";
import { parseAllowance, parseSale, type Product } from "./model.ts";

/** Stock changes while a buyer chooses. Refetched this often, and whenever the tab regains focus. */
const REFRESH_MS = 15_000;
/** The interval while stock is pushed. */
const LIVE_REFRESH_MS = 60_000;

async function fetchProducts() {
  const supabase = await getSupabase();
  const answer = await supabase
    .from("products")
    .select("*, product_kinds(*)")
    .order("price", { ascending: true });
  const fields = ["id", "name", "price", "current_inventory", "is_hidden", "product_kinds"] as const;
  return readAnswer("load what is for sale", answer, rowsWith<Product>(...fields));
}

async function fetchSale() {
  const supabase = await getSupabase();
  const sale = readAnswer("load the state of the sale", await supabase.rpc("get_sale"), parseSale);
  // Cancelled or moved since the page was made: it must not show "paused" below the old date.
  if (sale.festival_status !== festivalNow().status) {
    await showPublished().catch((error: unknown) => logError("show what is published", error));
  }
  return sale;
}

async function showPublished(): Promise<void> {
  const supabase = await getSupabase();
  const [answer, { contentOf }] = await Promise.all([
    supabase.rpc("get_festival"),
    import("contract/festival/facts"),
  ]);
  show(readAnswer("read what is published", answer, (sections) => contentOf(sections as PublishedSections)));
}

async function fetchAllowance() {
  const supabase = await getSupabase();
  return readAnswer("load the ticket allowance", await supabase.rpc("get_ticket_allowance"), parseAllowance);
}

/** How many tickets this buyer may have. Undefined while unknown; placing the order then enforces the limit. */
export function useTicketAllowance(userId: string | undefined): TicketAllowance | undefined {
  return useQuery({
    queryKey: ["ticket_allowance", userId ?? "nobody"],
    queryFn: fetchAllowance,
  }).data;
}

/**
 * The products in ascending order of price, and whether they are for sale. Fails as a whole when one of the reads fails. `isLive`:
 * see live-stock.ts.
 */
export function useCatalog(isLive = false) {
  const products = useQuery({
    queryKey: ["products"],
    queryFn: fetchProducts,
    refetchInterval: isLive ? LIVE_REFRESH_MS : REFRESH_MS,
  });
  const sale = useQuery({ queryKey: ["sale"], queryFn: fetchSale, refetchInterval: REFRESH_MS });
  const catalog =
    products.data && sale.data
      ? {
          // Administrators and ticket holders may read hidden ones too.
          products: products.data.filter(({ is_hidden }) => !is_hidden),
          sale: sale.data,
        }
      : undefined;
  return {
    catalog,
    // Data stays on the screen when a later read fails.
    failed: !catalog && (products.isError || sale.isError),
    retry: () => void Promise.all([products.refetch(), sale.refetch()]),
  };
}
