// How much is left, as the server tells it: a few figures every two seconds at most, whatever is being sold. Reading goes on beside it,
// less often, for whatever no message says.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { followBroadcasts } from "#lib/api/broadcasts.ts";
import { isEdited, type StockRow, type Told, toldOf, withStock } from "./told-stock.ts";

/** Who only glances at the page costs no socket. */
const STAYS_MS = 3_000;
/** An edit is read by everybody: not in the same moment. */
const SPREAD_MS = 3_000;

const ROWS = [["ticket_types"], ["parking_passes"]] as const;

/** Whether stock arrives by itself. */
export function useLiveStock(): boolean {
  const queryClient = useQueryClient();
  const [isLive, setIsLive] = useState(false);
  useEffect(() => {
    let stop = () => {};
    let reading: ReturnType<typeof setTimeout> | undefined;
    const show = (told: Told) => {
      for (const queryKey of ROWS)
        queryClient.setQueryData<StockRow[]>(queryKey, (rows) => rows && withStock(rows, told));
      const read = ROWS.map((queryKey) => queryClient.getQueryData<StockRow[]>(queryKey));
      // What was never read is being read, or failed and says so.
      if (read.includes(undefined) || reading !== undefined) return;
      if (
        !isEdited(
          read.flatMap((rows) => rows ?? []),
          told,
        )
      )
        return;
      reading = setTimeout(() => {
        reading = undefined;
        for (const queryKey of [...ROWS, ["sale"]]) void queryClient.invalidateQueries({ queryKey });
      }, Math.random() * SPREAD_MS);
    };
    const staying = setTimeout(() => {
      stop = followBroadcasts("stock", "left", {
        onLive: setIsLive,
        notify: (payload) => {
          const told = toldOf(payload);
          if (told) show(told);
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
