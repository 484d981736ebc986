import { Skeleton } from "#ui/page/skeleton.tsx";

/** The ticket list while it loads. */
export function TicketsSkeleton() {
  return (
    <div role="status" data-loading="">
      <p className="mb-5 flex h-16 items-center font-semibold">Loading ticket options...</p>
      <div className="space-y-5">
        {["one", "two", "three"].map((stub) => (
          <Skeleton key={stub} className="h-72 xs:h-44" />
        ))}
      </div>
      <Skeleton className="mt-12 h-16 w-64" />
      <Skeleton className="mt-5 h-52 sm:h-36" />
    </div>
  );
}
