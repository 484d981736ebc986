import { Link } from "react-router";
import { count, formatPrice, formatStamp, shortId } from "#lib/format.ts";
import { useListView } from "#lib/lists/list-view.ts";
import { useList } from "#lib/lists/list.ts";
import { useCsvExport } from "#lib/lists/use-csv-export.ts";
import { Badge } from "#ui/basics/badge.tsx";
import { Button } from "#ui/basics/button.tsx";
import { EmailText } from "#ui/basics/email-text.tsx";
import { ReadNote } from "#ui/forms/read-note.tsx";
import { ExportButton } from "#ui/lists/export-button.tsx";
import { FilterSelect } from "#ui/lists/filter-select.tsx";
import { ListFrame } from "#ui/lists/list-frame.tsx";
import { EmptyState } from "#ui/page/screen-states.tsx";
import { orderCsv, refundCsv } from "./csv.ts";
import {
  channelFilters,
  channelNames,
  isOrderStatusFilter,
  orderFilters,
  statusTone,
  type OrderFilter,
  type OrderSummary,
} from "./order-list.ts";
import { bookedOrders, bookedRefunds, orderList, useOrderTags } from "../queries.ts";

export function OrdersScreen() {
  const view = useListView(orderList.size);
  const asked = view.filter("status");
  const filter = {
    status: isOrderStatusFilter(asked) ? asked : undefined,
    search: view.search.settled,
    channel: view.filter("channel") || undefined,
    tag: view.filter("tag") || undefined,
  };
  const list = useList(orderList, filter, view);
  const csv = useCsvExport({ name: "orders", columns: orderCsv, rows: () => bookedOrders(filter) });
  const refunds = useCsvExport({ name: "refunds", columns: refundCsv, rows: bookedRefunds });
  return (
    <ListFrame
      title="Orders Management"
      tally={({ all }) => count(all, "order")}
      rowsAre="orders"
      list={list}
      csv={csv}
      actions={<ExportButton {...refunds} label="Export Refunds" />}
      search={{
        ...view.search,
        label: "Search by name, email, phone, order, ticket or payment number",
        placeholder: "Name, email, phone, order, ticket, payment",
      }}
      filters={<Filters {...filter} onChoose={view.setFilter} />}
    >
      {({ rows }) => <OrderCards orders={rows} filter={filter} wayBack={view.wayBack} />}
    </ListFrame>
  );
}

interface FiltersProps extends OrderFilter {
  onChoose: (name: "status" | "channel" | "tag", value: string) => void;
}

function Filters({ status, channel, tag, onChoose }: FiltersProps) {
  const read = useOrderTags();
  const tags = read.data;
  return (
    <>
      <FilterSelect
        label="Status"
        value={status}
        all="All statuses"
        options={orderFilters}
        onChoose={(status) => onChoose("status", status)}
      />
      {status && (
        <Button variant="ghost" size="small" onClick={() => onChoose("status", "")}>
          Clear Filter
        </Button>
      )}
      <FilterSelect
        label="Channel"
        value={channel}
        all="All channels"
        options={channelFilters}
        onChoose={(channel) => onChoose("channel", channel)}
      />
      {(tag !== undefined || (tags && tags.length > 0)) && (
        <FilterSelect
          label="Tag"
          value={tag}
          all="All tags"
          options={tagOptions(tags, tag)}
          onChoose={(tag) => onChoose("tag", tag)}
        />
      )}
      {read.isError && <ReadNote {...{ read }} what="tags" />}
    </>
  );
}

/** The tag of the current filter stays among the choices even when no order has it any more. */
function tagOptions(tags: readonly { tag: string; orders: number }[] = [], chosen: string | undefined) {
  const known = tags.map(({ tag: value, orders }) => ({ value, label: `${value} (${orders})` }));
  return chosen === undefined || tags.some(({ tag }) => tag === chosen)
    ? known
    : [...known, { value: chosen, label: chosen }];
}

interface OrderCardsProps {
  orders: readonly OrderSummary[];
  filter: OrderFilter;
  wayBack: unknown;
}

function OrderCards({ orders, filter: { status, search }, wayBack }: OrderCardsProps) {
  if (orders.length === 0) {
    const label = orderFilters.find(({ value }) => value === status)?.label.toLowerCase();
    return (
      <EmptyState title={`No orders found${label ? ` with status "${label}"` : ""}`}>
        {search && (
          <p>
            Nothing matches “{search}”. Search names, emails and phone numbers by the first letters of their
            words, orders and tickets by the first or last four characters of their number or more, and
            payments by the first six, like pi_3Qx.
          </p>
        )}
      </EmptyState>
    );
  }
  return (
    <ul className="space-y-2">
      {orders.map((order) => (
        <OrderCard key={order.id} order={order} wayBack={wayBack} />
      ))}
    </ul>
  );
}

function OrderCard({ order, wayBack }: { order: OrderSummary; wayBack: unknown }) {
  return (
    <li className="relative grid grid-cols-[minmax(0,1fr)_auto] gap-x-3 gap-y-1.5 border border-ink/20 bg-sheet px-4 py-3 hover:border-ink max-2xs:grid-cols-[minmax(0,1fr)] sm:gap-x-5 sm:grid-cols-[10rem_minmax(0,1fr)_7rem_8rem] sm:items-center">
      <span>
        <Link
          to={`/admin/orders/${order.id}`}
          state={wayBack}
          className="font-mono text-[0.9375rem] font-bold underline underline-offset-4 after:absolute after:inset-0"
        >
          #{shortId(order.id)}
        </Link>
        <time dateTime={order.created_at} className="block text-sm text-ink-soft tabular-nums">
          {formatStamp(order.created_at)}
        </time>
      </span>
      <span className="order-1 min-w-0 sm:order-none">
        <span className="block font-semibold wrap-anywhere">{order.buyer_full_name}</span>
        <EmailText className="block text-sm text-ink-soft">
          {order.buyer_email || (channelNames[order.channel] ?? order.channel)}
        </EmailText>
        {order.tags.length > 0 && (
          <span className="mt-1 flex flex-wrap gap-1">
            {order.tags.map((tag) => (
              <span key={tag} className="bg-ink/10 px-1.5 text-sm wrap-anywhere">
                {tag}
              </span>
            ))}
          </span>
        )}
      </span>
      <span className="flex flex-col items-end gap-1 max-2xs:flex-row max-2xs:flex-wrap sm:flex-row sm:flex-wrap sm:items-start">
        <Badge tone={statusTone[order.status] ?? "default"} className="capitalize">
          {order.status}
        </Badge>
        {order.channel !== "online" && <Badge tone="highlight">{channelNames[order.channel]}</Badge>}
        {order.is_disputed && <Badge tone="danger">Disputed</Badge>}
        {order.owed_cents > 0 && <Badge tone="danger">Refund failed</Badge>}
      </span>
      <span className="order-2 text-right max-2xs:text-left sm:order-none">
        <span className="font-bold tabular-nums">{formatPrice(order.total_amount)}</span>
        <span className="block text-sm text-ink-soft">{count(order.item_count, "item")}</span>
      </span>
    </li>
  );
}
