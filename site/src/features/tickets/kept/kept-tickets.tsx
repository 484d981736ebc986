// The kept codes, shown while the buyer's tickets cannot be read: each in full screen, with the time they were
// saved.
import { WifiOff } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { formatZonedMoment, shortId } from "#lib/format.ts";
import { Button } from "#ui/basics/button.tsx";
import { ErrorState } from "#ui/page/screen-states.tsx";
import { CodeViewer } from "../code-viewer.tsx";
import { contentsOf, groupsOf, type PassGroup } from "../model.ts";
import { TicketCard } from "../ticket-card.tsx";
import { choose, storedUser } from "./choice.ts";
import { dropKept, type Kept, readKept } from "./store.ts";
import { useUnreachable } from "./use-unreachable.ts";

/**
 * Renders its children once the tickets can be read. Until then, it renders what is kept for the user whose session this
 * browser has, and no code that is on the screen disappears when the network comes back.
 */
export function OrKeptTickets({ children }: { children: ReactNode }) {
  const [shownId, setShownId] = useState<string>();
  const isUnreachable = useUnreachable() || shownId !== undefined;
  const { kept, remove } = useKept(isUnreachable);
  if (!isUnreachable) return children;
  if (kept && kept.userId === storedUser()) {
    return <KeptTickets kept={kept} shownId={shownId} onShow={setShownId} onRemove={remove} />;
  }
  if (storedUser() !== undefined || navigator.onLine) return children;
  return (
    <ErrorState title="You're offline and not signed in.">
      Your tickets appear once you're online and signed in.
    </ErrorState>
  );
}

/** Read again whenever the network is lost. */
function useKept(isWanted: boolean) {
  const [kept, setKept] = useState<Kept>();
  useEffect(() => {
    if (!isWanted) return;
    let current = true;
    void readKept()
      .then(async (found) => found && (await import("./drawn.ts")).drawn(found))
      .then((found) => current && setKept(found));
    return () => {
      current = false;
    };
  }, [isWanted]);
  async function remove() {
    choose(false);
    await dropKept();
    setKept(undefined);
  }
  return { kept, remove };
}

interface Showing {
  readonly shownId: string | undefined;
  onShow(id: string | undefined): void;
}

function KeptTickets({
  kept,
  onRemove,
  ...showing
}: Showing & { kept: Kept; onRemove: () => Promise<void> }) {
  const groups = groupsOf(kept.passes, [], kept.userId);
  return (
    <>
      <h1 className="display text-headline text-candy">My Tickets</h1>
      <p role="status" className="mt-6 flex items-start gap-3 border-2 border-ink bg-brisket p-4">
        <WifiOff aria-hidden="true" className="mt-0.5 size-6 shrink-0" strokeWidth={2.5} />
        <span>
          <strong className="block">
            {navigator.onLine ? "Your tickets can't be loaded right now." : "You're offline."} These are your
            saved codes.
          </strong>
          Saved {formatZonedMoment(new Date(kept.savedAt).toISOString())}. They work at the gate. Your orders
          and account open once you're online.
        </span>
      </p>
      <h2 className="display mt-10 mb-5 text-title">Your Tickets</h2>
      <div className="grid gap-10">
        {groups.length === 0 && <p>No tickets were saved.</p>}
        {groups.map((group) => (
          <KeptOrder key={group.orderId} group={group} userId={kept.userId} {...showing} />
        ))}
      </div>
      <Button size="small" variant="secondary" className="mt-10" onClick={() => void onRemove()}>
        Remove from This Device
      </Button>
    </>
  );
}

function KeptOrder({
  group: { orderId, passes },
  userId,
  shownId,
  onShow,
}: Showing & { group: PassGroup; userId: string }) {
  return (
    <section aria-labelledby={`kept-${orderId}`} className="min-w-0">
      <div className="mb-4 flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <h3 id={`kept-${orderId}`} className="text-xl leading-tight font-bold">
          {contentsOf(passes)}{" "}
          <span className="block font-normal text-ink-soft">
            in order <span className="font-mono">#{shortId(orderId)}</span>
          </span>
        </h3>
        <Button size="small" onClick={() => onShow(passes[0]?.id)}>
          Show Codes
        </Button>
      </div>
      <ul className="grid gap-4 sm:gap-6 xl:grid-cols-2">
        {passes.map((pass) => (
          <li key={pass.id} className="min-w-0">
            <TicketCard isKept pass={pass} userId={userId} onShow={() => onShow(pass.id)} />
          </li>
        ))}
      </ul>
      {passes.some(({ id }) => id === shownId) && (
        <CodeViewer
          isKept
          passes={passes}
          startId={shownId!}
          userId={userId}
          onClose={() => onShow(undefined)}
        />
      )}
    </section>
  );
}
