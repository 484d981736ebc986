import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";
import { logError } from "#lib/error-log.ts";
import { automaticQrCode, QrCodeError, requestQrCode } from "./generate-qr-code.ts";
import type { Ticket } from "./model.ts";
import { ticketsKey } from "./queries.ts";

export type QrCodeState =
  | { phase: "shown"; url: string }
  | { phase: "generating" }
  | { phase: "failed"; message: string };

/** The ticket's QR code. Without one, a single attempt is made by itself; after a failure it is up to the buyer. */
export function useQrCode(ticket: Ticket, userId: string) {
  const queryClient = useQueryClient();
  const { id, qr_code_url: url } = ticket;
  const [failure, setFailure] = useState<string>();

  const keep = useCallback(
    (made: string) =>
      queryClient.setQueryData<Ticket[]>(ticketsKey(userId), (tickets) =>
        tickets?.map((entry) => (entry.id === id ? { ...entry, qr_code_url: made } : entry)),
      ),
    [queryClient, userId, id],
  );
  const fail = useCallback((error: unknown) => {
    logError("generate a QR code", error);
    setFailure(error instanceof QrCodeError ? error.message : "Failed to generate QR code");
  }, []);

  useEffect(() => {
    if (url) return;
    let current = true;
    automaticQrCode(id, userId).then(keep, (error: unknown) => current && fail(error));
    return () => {
      current = false;
    };
  }, [id, url, userId, keep, fail]);

  const generate = useCallback(() => {
    setFailure(undefined);
    requestQrCode(id, userId).then(keep, fail);
  }, [id, userId, keep, fail]);

  return { state: stateOf(url, failure), generate };
}

function stateOf(url: string | null, failure: string | undefined): QrCodeState {
  if (url) return { phase: "shown", url };
  return failure ? { phase: "failed", message: failure } : { phase: "generating" };
}
