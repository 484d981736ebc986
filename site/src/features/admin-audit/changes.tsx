import { changedFields, previewText, recordName, viewText, type AuditEntry } from "./model.ts";

/**
 * A line that sums up a change. Expanded, it shows the values before and after, and where the change came
 * from.
 */
export function Changes({ entry }: { entry: AuditEntry }) {
  const { before, after } = changedFields(entry);
  const name = recordName(entry);
  return (
    <details className="group max-w-md text-left sm:min-w-48">
      <summary className="text-sm">
        {/* At most two lines on a phone until it is expanded. */}
        <span className="max-sm:inline-block max-sm:max-h-[2lh] max-sm:w-[calc(100%-1.25rem)] max-sm:overflow-hidden max-sm:align-top max-sm:group-open:max-h-none">
          {name && <strong className="break-words">{name} </strong>}
          <span className="font-mono break-all">{previewText(entry)}</span>
        </span>
      </summary>
      <dl className="mt-2 grid gap-3 text-sm sm:grid-cols-2">
        {(
          [
            ["Before", before],
            ["After", after],
          ] as const
        ).map(([label, value]) => (
          <div key={label} className="min-w-0">
            <dt className="font-semibold">{label}</dt>
            <dd>
              <pre className="bg-paper-deep/60 p-2 text-xs break-all whitespace-pre-wrap">
                {viewText(value)}
              </pre>
            </dd>
          </div>
        ))}
      </dl>
      <p className="mt-2 text-sm break-words text-ink-soft">
        {entry.record_id && entry.table_name !== "shop_settings" ? `Record ${entry.record_id}. ` : ""}
        {entry.ip_address ? `IP address: ${entry.ip_address}. ` : ""}
        {entry.user_agent}
      </p>
    </details>
  );
}
