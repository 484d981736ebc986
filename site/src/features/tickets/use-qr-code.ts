import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";
import { logError } from "#lib/browser/error-log.ts";
import { automaticQrCode, QrCodeError, requestQrCode } from "./generate-qr-code.ts";
import type { Ticket } from "./model.ts";
import { ticketsKey } from "./queries.ts";

export type QrCodeState =
  /** `onBroken`: the picture did not load. */
  | { phase: "shown"; url: string; onBroken: () => void }
  | { phase: "generating" }
  /** The ticket was refunded and no longer admits anybody. */
  | { phase: "void" }
  | { phase: "failed"; message: string };

/** The ticket's QR code. Without one, it makes a single attempt; after a failure the buyer decides. */
export function useQrCode(ticket: Ticket, userId: string) {
  const queryClient = useQueryClient();
  const { id, qr_code_url: url } = ticket;
  const isVoid = ticket.voided_at !== null;
  const [failure, setFailure] = useState<string>();
  const [asking, setAsking] = useState(false);

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
    if (url || isVoid) return;
    let current = true;
    automaticQrCode(id, userId).then(keep, (error: unknown) => current && fail(error));
    return () => {
      current = false;
    };
  }, [id, url, isVoid, userId, keep, fail]);

  const generate = useCallback(() => {
    setFailure(undefined);
    setAsking(true);
    void requestQrCode(id, userId)
      .then(keep, fail)
      .then(() => setAsking(false));
  }, [id, userId, keep, fail]);

  const onBroken = useCallback(() => {
    logError("show a QR code", "the picture did not load");
    setFailure("The QR code could not be loaded");
  }, []);

  return { state: stateOf(), generate };

  function stateOf(): QrCodeState {
    if (isVoid) return { phase: "void" };
    if (failure) return { phase: "failed", message: failure };
    return url && !asking ? { phase: "shown", url, onBroken } : { phase: "generating" };
  }
}
