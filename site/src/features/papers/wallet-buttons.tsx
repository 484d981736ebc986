// Adds a ticket to the phone's wallet: a button for each wallet that the organizer has keys for.
import { useMutation, useQuery } from "@tanstack/react-query";
import { WalletCards } from "lucide-react";
import { z } from "zod";
import { callFunction, FunctionError } from "#lib/api/functions.ts";
import { supabaseAddress } from "#lib/api/env.ts";
import { fetchInTime } from "#lib/api/time-limit.ts";
import { logError } from "#lib/browser/error-log.ts";
import { toast } from "#ui/overlays/toast.ts";
import { Button } from "#ui/basics/button.tsx";

type Wallet = "apple" | "google";
const names: Record<Wallet, string> = { apple: "Apple Wallet", google: "Google Wallet" };

const offers = z.object({ apple: z.boolean(), google: z.boolean() });
/** Where the wallet takes the pass: an address of its own, or the query of ours. */
const way = z.union([z.object({ address: z.url() }), z.object({ query: z.string() })]);

const address = () => `${supabaseAddress().url}/functions/v1/wallet-pass`;

/** `what`: who or what the pass admits, to tell the buttons apart. */
export function WalletButtons({ passId, what }: { passId: string; what: string }) {
  const { data: offered = [] } = useQuery({
    queryKey: ["wallets"],
    staleTime: Infinity,
    queryFn: async (): Promise<Wallet[]> => {
      const answer = await fetchInTime(address());
      if (!answer.ok) throw new Error(`The wallets could not be read (${answer.status})`);
      const offered = offers.parse(await answer.json());
      return (["apple", "google"] as const).filter((wallet) => offered[wallet]);
    },
  });
  if (offered.length === 0) return null;
  return (
    <div className="mt-3 flex flex-wrap gap-3 print:hidden">
      {offered.map((wallet) => (
        <WalletButton key={wallet} {...{ wallet, passId, what }} />
      ))}
    </div>
  );
}

function WalletButton({ wallet, passId, what }: { wallet: Wallet; passId: string; what: string }) {
  const { isPending, mutate } = useMutation({
    mutationFn: async () => way.parse(await callFunction("wallet-pass", { passId, wallet })),
    // The phone's browser passes Apple's file to the wallet when it follows a link.
    onSuccess: (way) => location.assign("address" in way ? way.address : `${address()}?${way.query}`),
    onError: (error) => {
      if (!(error instanceof FunctionError)) logError("add to a wallet", error);
      toast.error("Not Added", error instanceof FunctionError ? error.message : "Please try again.");
    },
  });
  return (
    <Button
      size="small"
      variant="dark"
      busy={isPending}
      aria-label={`Add to ${names[wallet]}: ${what}`}
      onClick={() => mutate()}
    >
      <WalletCards aria-hidden="true" className="size-4 shrink-0" strokeWidth={2.5} />
      Add to {names[wallet]}
    </Button>
  );
}
