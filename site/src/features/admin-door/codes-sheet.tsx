// After a sale: the change, and each code as large as the screen allows. The buyer photographs it, has it printed or mailed, or
// walks on to the gate.
import { useQuery } from "@tanstack/react-query";
import type { DoorCode } from "contract/door";
import { formatCents, type Cents } from "contract/shop/money";
import { Printer } from "lucide-react";
import { useFestival } from "#lib/festival/content.ts";
import { shortId } from "#lib/format.ts";
import { Button } from "#ui/basics/button.tsx";
import { QrSquare } from "#ui/figures/qr-square.tsx";
import { FullScreen } from "#ui/overlays/full-screen.tsx";
import { ErrorState } from "#ui/page/screen-states.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";
import { ignoreRepeats } from "./ignore-repeats.ts";
import { paidWords, type Method } from "./model.ts";
import { fetchCodes } from "./queries.ts";
import { MailForm } from "./mail-form.tsx";

interface CodesSheetProps extends SoldProps {
  closeLabel: string;
  onClose: () => void;
}

export function CodesSheet({ closeLabel, onClose, ...sold }: CodesSheetProps) {
  const { orderId, title } = sold;
  const { data, error, isError, refetch } = useQuery({
    queryKey: ["door-codes", orderId],
    queryFn: () => fetchCodes(orderId),
    staleTime: 0,
  });
  return (
    <FullScreen label={title} onClose={onClose}>
      <div data-print="alone" className="mx-auto flex min-h-dvh max-w-2xl flex-col px-4 pt-4">
        <Sold {...sold} />
        <div className="flex-1 py-4">
          {data ? (
            <Codes codes={data} />
          ) : isError ? (
            <ErrorState
              title="The codes couldn't be loaded. The sale went through: find them under Recent sales."
              cause={error}
              onRetry={() => void refetch()}
            />
          ) : (
            <div role="status">
              <span className="sr-only">Creating codes</span>
              <Skeleton className="mx-auto aspect-square max-w-96" />
            </div>
          )}
          {data && data.length > 0 && <MailForm orderId={orderId} />}
        </div>
        <div
          data-print="never"
          className="sticky bottom-0 -mx-4 grid grid-cols-[1fr_auto] gap-2 border-t-2 border-ink bg-paper px-4 py-3"
        >
          <Button size="large" onKeyDown={ignoreRepeats} onClick={onClose}>
            {closeLabel}
          </Button>
          <Button
            variant="secondary"
            size="large"
            className="px-4!"
            disabled={!data?.length}
            onClick={() => print()}
          >
            <Printer aria-hidden="true" className="size-6" />
            <span className="sr-only">Print the codes</span>
          </Button>
        </div>
      </div>
    </FullScreen>
  );
}

interface SoldProps {
  orderId: string;
  title: string;
  /** What was sold. */
  words: string;
  method: Method;
  cents: Cents;
  tendered?: Cents | undefined;
}

function Sold({ orderId, title, words, method, cents, tendered }: SoldProps) {
  return (
    <header data-print="never">
      <h2 className="display text-screen">{title}</h2>
      <p className="mt-1 text-ink-soft">
        {words}, {paidWords(cents, method)}. Order #{shortId(orderId)}
      </p>
      {tendered !== undefined && (
        <p className="mt-3 border-2 border-ink bg-brisket px-4 py-3">
          <span className="block text-sm font-semibold">Change from {formatCents(tendered)}</span>
          <strong className="display text-5xl leading-none tabular-nums">
            {formatCents(tendered - cents)}
          </strong>
        </p>
      )}
    </header>
  );
}

function Codes({ codes }: { codes: readonly DoorCode[] }) {
  const { title } = useFestival();
  if (codes.length === 0)
    return <p className="text-ink-soft">This sale was voided. Its codes are no longer valid.</p>;
  return (
    <ol className="grid gap-4">
      {codes.map(({ id, admits, name, token }, index) => (
        <li key={id} data-print="whole" className="border-2 border-ink bg-sheet p-3 text-center">
          <p className="font-bold wrap-anywhere">
            {name}
            {codes.length > 1 && (
              <span className="font-normal text-ink-soft">
                {" "}
                ({index + 1} of {codes.length})
              </span>
            )}
          </p>
          <QrSquare text={token} label={`Code ${index + 1} of ${codes.length}: ${name}`} />
          <p className="text-sm text-ink-soft">
            {title}. Admits one {admits}, one time. <span className="font-mono">#{shortId(id)}</span>
          </p>
        </li>
      ))}
    </ol>
  );
}
