import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";
import { logError } from "#lib/browser/error-log.ts";
import { automaticQrCode, QrCodeError, requestQrCode } from "./generate-qr-code.ts";
import type { Pass } from "./model.ts";
import { ticketsKey } from "./queries.ts";

export type QrCodeState =
  /** `onBroken`: the picture did not load. */
  | { phase: "shown"; url: string; onBroken: () => void }
  | { phase: "generating" }
  /** It was refunded and no longer admits anyone. */
  | { phase: "void" }
  | { phase: "failed"; message: string };

/**
 * The QR code of a ticket or extra. Requests a missing one once, and a new URL for one that does not load. After a failure, the buyer
 * decides whether to retry.
 */
export function useQrCode(pass: Pass, userId: string) {
  const queryClient = useQueryClient();
  const { id, issueNumber, codeUrl: url, isVoid } = pass;
  const [failure, setFailure] = useState<string>();
  const [asking, setAsking] = useState(false);

  const keep = useCallback(
    (made: string) =>
      queryClient.setQueriesData<{ id: string }[]>({ queryKey: ticketsKey(userId) }, (rows) =>
        rows?.map((row) => (row.id === id ? { ...row, qr_code_url: made } : row)),
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
    automaticQrCode({ id, issueNumber, codeUrl: null }, userId).then(
      keep,
      (error: unknown) => current && fail(error),
    );
    return () => {
      current = false;
    };
  }, [id, issueNumber, url, isVoid, userId, keep, fail]);

  const generate = useCallback(() => {
    setFailure(undefined);
    setAsking(true);
    void requestQrCode({ id, codeUrl: url }, userId)
      .then(keep, fail)
      .then(() => setAsking(false));
  }, [id, url, userId, keep, fail]);

  const onBroken = useCallback(() => {
    const giveUp = () => {
      logError("show a QR code", "the picture did not load");
      setFailure("The QR code could not be loaded. Check your connection.");
    };
    setAsking(true);
    void automaticQrCode({ id, issueNumber, codeUrl: url }, userId)
      .then((made) => (made === url ? giveUp() : keep(made)), giveUp)
      .then(() => setAsking(false));
  }, [id, issueNumber, url, userId, keep]);

  return { state: stateOf(), generate };

  function stateOf(): QrCodeState {
    if (isVoid) return { phase: "void" };
    if (failure) return { phase: "failed", message: failure };
    return url && !asking ? { phase: "shown", url, onBroken } : { phase: "generating" };
  }
}
