// The remaining stock, pushed by the server: a few figures every two seconds at most, whatever is being sold. Polling continues at a
// lower rate, for changes that are not pushed.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { followBroadcasts } from "#lib/api/broadcasts.ts";
import { isEdited, type StockRow, type PushedStock, pushedStockOf, withStock } from "./pushed-stock.ts";

/** A visitor who only glances at the page opens no socket. */
const STAYS_MS = 3_000;
/** After an edit every page refetches. Spreads these requests over this time. */
const SPREAD_MS = 3_000;

const PRODUCTS = ["products"];

/** Whether stock updates are being pushed. */
export function useLiveStock(): boolean {
  const queryClient = useQueryClient();
  const [isLive, setIsLive] = useState(false);
  useEffect(() => {
    let stop = () => {};
    let reading: ReturnType<typeof setTimeout> | undefined;
    const show = (pushed: PushedStock) => {
      queryClient.setQueryData<StockRow[]>(PRODUCTS, (rows) => rows && withStock(rows, pushed));
      const rows = queryClient.getQueryData<StockRow[]>(PRODUCTS);
      // Data that was never loaded is either loading, or its read has failed and reported that.
      if (rows === undefined || reading !== undefined || !isEdited(rows, pushed)) return;
      reading = setTimeout(() => {
        reading = undefined;
        for (const queryKey of [PRODUCTS, ["sale"]]) void queryClient.invalidateQueries({ queryKey });
      }, Math.random() * SPREAD_MS);
    };
    const staying = setTimeout(() => {
      stop = followBroadcasts("stock", "left", {
        onLive: setIsLive,
        notify: (payload) => {
          const pushed = pushedStockOf(payload);
          if (pushed) show(pushed);
        },
      });
    }, STAYS_MS);
    return () => {
      clearTimeout(staying);
      clearTimeout(reading);
      stop();
      setIsLive(false);
    };
  }, [queryClient]);
  return isLive;
}
