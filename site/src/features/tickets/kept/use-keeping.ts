// Keeps the displayed passes after every read, and reports whether this device does so.
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import { serverNow } from "#lib/time/server-clock.ts";
import { type Pass, passesOf, type Extra, type Ticket } from "../model.ts";
import { ticketsKey, useExtras, useTickets } from "../queries.ts";
import { choose, followChoice, keepsHere } from "./choice.ts";
import { dropKept, keep, type KeptPass } from "./store.ts";

export type Keeping =
  /** There is nothing to keep, or it is not known yet. */
  "none" | "off" | "partly" | "on" | "failed";

/** The read that brings a code's content may fail. */
const READ_AGAIN_MS = 5000;

export function useKeeping(userId: string) {
  const { data: tickets } = useTickets(userId);
  const { data: extras } = useExtras(userId);
  const isWanted = useSyncExternalStore(followChoice, keepsHere, () => false);
  const [isKept, setIsKept] = useState<boolean>();
  const queryClient = useQueryClient();
  const passes = tickets && extras && passesOf(tickets, extras).filter(({ isVoid }) => !isVoid);
  const hasPasses = passes !== undefined && passes.length > 0;
  const kept = passes && withCodes(passes, [...tickets, ...extras]);
  const text = kept && JSON.stringify(kept);
  // A code requested by this page shows its picture at once. Its content comes with the next read.
  const unread = passes
    ?.filter(({ id, codeUrl }) => codeUrl !== null && !kept!.some((one) => one.id === id))
    .map(({ id }) => id)
    .join();
  useEffect(() => {
    if (!isWanted || !unread) return undefined;
    const read = (cancelRefetch: boolean) =>
      void queryClient.invalidateQueries({ queryKey: ticketsKey(userId) }, { cancelRefetch });
    // A read under way may be older than the code.
    read(true);
    const timer = setInterval(() => read(false), READ_AGAIN_MS);
    return () => clearInterval(timer);
  }, [isWanted, unread, queryClient, userId]);

  useEffect(() => {
    // Read again: a page that was away has not heard what another tab chose.
    if (!isWanted || !keepsHere() || text === undefined) return;
    let current = true;
    void keep(userId, JSON.parse(text) as KeptPass[], serverNow()).then((done) => current && setIsKept(done));
    if (hasPasses) register();
    return () => {
      current = false;
    };
  }, [isWanted, text, hasPasses, userId]);

  const change = useCallback((keeps: boolean) => {
    choose(keeps);
    if (!keeps) void dropKept();
  }, []);
  // While the codes are being saved, the state is what it will be unless that fails.
  return { keeping: stateOf(), isSettled: !isWanted || isKept !== undefined, change };

  function stateOf(): Keeping {
    if (!hasPasses || !("serviceWorker" in navigator)) return "none";
    if (!isWanted) return "off";
    if (isKept === false) return "failed";
    if (kept!.length === 0) return "none";
    return kept!.length < passes.length ? "partly" : "on";
  }
}

function withCodes(passes: readonly Pass[], rows: readonly (Ticket | Extra)[]): KeptPass[] {
  const codes = new Map(rows.map(({ id, qr_code_data: code }) => [id, code]));
  return passes.flatMap((pass) => {
    const code = codes.get(pass.id);
    return code ? [{ ...pass, code }] : [];
  });
}

function register(): void {
  const workers = { "/tickets-worker.js": "/my-tickets", "/account-worker.js": "/dashboard" };
  for (const [file, scope] of Object.entries(workers))
    navigator.serviceWorker
      .register(file, { scope })
      // Without the worker, the page needs a network to open. The codes are kept all the same.
      .catch(() => undefined);
}
