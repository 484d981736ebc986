// What the panels of this page share: their frame and their loading states.
import type { ReactNode } from "react";
import { useKeptFocus } from "#ui/overlays/focus-kept.ts";
import { Card, CardTitle } from "#ui/page/card.tsx";
import { ErrorState } from "#ui/page/screen-states.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";

export function Panel({ title, lead, children }: { title: string; lead: ReactNode; children: ReactNode }) {
  const kept = useKeptFocus();
  return (
    <Card {...kept}>
      <CardTitle as="h3">{title}</CardTitle>
      <p className="mt-2 max-w-prose text-ink-soft">{lead}</p>
      <div className="mt-5">{children}</div>
    </Card>
  );
}

interface Read<Data> {
  readonly data: Data | undefined;
  readonly isPending: boolean;
  refetch(): unknown;
}

export function WhenRead<Data>({
  read,
  what,
  children,
}: {
  read: Read<Data>;
  what: string;
  children: (data: Data) => ReactNode;
}) {
  if (read.isPending) return <Skeleton className="h-16" />;
  if (read.data === undefined) {
    return <ErrorState title={`Your ${what} could not be loaded`} onRetry={() => void read.refetch()} />;
  }
  return children(read.data);
}

/** One item of a list, with its actions. */
export function Row({
  title,
  detail,
  children,
}: {
  title: ReactNode;
  detail: ReactNode;
  children?: ReactNode;
}) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 border-t-2 border-ink/20 py-3">
      <div className="min-w-0 flex-1 basis-48">
        <p className="font-semibold wrap-anywhere">{title}</p>
        <p className="text-sm wrap-anywhere text-ink-soft">{detail}</p>
      </div>
      {children && <div className="flex flex-wrap gap-2">{children}</div>}
    </li>
  );
}
