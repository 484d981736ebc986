import { Bell as BellIcon, CircleAlert, PackageMinus, ShoppingBag, Store } from "lucide-react";
import { useEffect, useState, type ReactNode } from "react";
import { Link } from "react-router";
import { Badge } from "#ui/basics/badge.tsx";
import { Button } from "#ui/basics/button.tsx";
import { classNames } from "#ui/basics/class-names.ts";
import { useKeptFocus } from "#ui/overlays/focus-kept.ts";
import { Popover } from "#ui/overlays/popover.tsx";
import {
  badgeText,
  LISTED,
  markRead,
  orderOf,
  placeOf,
  relativeTime,
  unreadCount,
  type Notification,
} from "./model.ts";
import { useOrderMarks } from "./queries.ts";
import { useNotifications } from "./use-notifications.ts";

const icons = {
  new_order: ShoppingBag,
  low_inventory: PackageMinus,
  vendor_application: Store,
  system_alert: CircleAlert,
} as const;

interface BellProps {
  userId: string;
  /** Otherwise only new orders are announced, because the role may read nothing else. */
  readsAll: boolean;
}

/** The bell in the top bar with the latest notifications. */
export function Bell({ userId, readsAll }: BellProps) {
  const { list, change } = useNotifications(userId, readsAll);
  const [open, setOpen] = useState(false);
  const now = useMinuteClock();
  const listed = list.slice(0, LISTED);
  const marks = useOrderMarks(listed, open);
  const unread = unreadCount(list);
  const follow = (item: Notification) => {
    change((all) => markRead(all, item.id));
    setOpen(false);
  };
  const name = unread > 0 ? `Notifications, ${unread} unread` : "Notifications";
  return (
    <Popover
      label="Notifications"
      open={open}
      onOpenChange={setOpen}
      className="w-96"
      trigger={
        <Button variant="ghost" size="icon" className="relative" aria-label={name}>
          <BellIcon aria-hidden="true" className="size-5.5" />
          {unread > 0 && (
            <span className="absolute -top-1.5 -right-1.5 min-w-5 bg-candy px-1 py-0.5 text-center font-text text-xs leading-4 font-bold tracking-normal text-white tabular-nums">
              {badgeText(unread)}
            </span>
          )}
        </Button>
      }
    >
      <FocusFrame>
        <div className="flex flex-wrap items-center justify-between gap-x-2 border-b border-ink/20 px-4 py-2">
          <h2 className="font-bold">Notifications</h2>
          {list.length > 0 && (
            <div className="flex gap-3 text-sm">
              <ListAct label="Mark all read" onAct={() => change((all) => markRead(all))} />
              <ListAct label="Clear all" onAct={() => change(() => [])} />
            </div>
          )}
        </div>
        {list.length === 0 ? (
          <p className="px-4 py-8 text-center text-ink-soft">No notifications yet</p>
        ) : (
          <ul className="max-h-[60vh] divide-y divide-ink/12 overflow-y-auto">
            {listed.map((item) => (
              <li key={item.id}>
                <Entry
                  item={item}
                  mark={marks.get(orderOf(item) ?? "")}
                  now={now}
                  onFollow={() => follow(item)}
                />
              </li>
            ))}
          </ul>
        )}
      </FocusFrame>
    </Popover>
  );
}

/** A component of its own, because the frame exists only while the popover is open. */
function FocusFrame({ children }: { children: ReactNode }) {
  return <div {...useKeptFocus()}>{children}</div>;
}

function ListAct({ label, onAct }: { label: string; onAct: () => void }) {
  return (
    <button type="button" className="min-h-9 underline underline-offset-4" onClick={onAct}>
      {label}
    </button>
  );
}

/** Rerenders the "… ago" times often enough that "Just now" does not stay stale for long. */
function useMinuteClock(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 15_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

interface EntryProps {
  item: Notification;
  /** The state of its order, unless it is paid. */
  mark: string | undefined;
  now: number;
  onFollow: () => void;
}

function Entry({ item, mark, now, onFollow }: EntryProps) {
  const Icon = icons[item.type] ?? CircleAlert;
  return (
    <Link
      to={placeOf(item)}
      onClick={onFollow}
      className={classNames(
        "flex w-full items-start gap-3 border-l-4 px-3.5 py-2.5 text-left text-[0.9375rem] leading-snug hover:bg-paper-deep/60",
        item.read ? "border-transparent" : "border-candy bg-sheet",
      )}
    >
      <Icon
        aria-hidden="true"
        className={classNames(
          "mt-0.5 size-5 shrink-0",
          item.type === "system_alert" ? "text-candy-deep" : "text-ink-soft",
        )}
      />
      <span className="min-w-0 flex-1 break-words">
        <span className="font-semibold">{item.title}</span>
        {!item.read && <span className="sr-only"> (unread)</span>}
        <span className="block">{item.message}</span>
        <span className="flex flex-wrap items-center gap-2 text-sm text-ink-soft">
          {relativeTime(item.created_at, now)}
          {mark && <Badge tone={mark === "unpaid" ? "warning" : "default"}>{mark}</Badge>}
        </span>
      </span>
    </Link>
  );
}
