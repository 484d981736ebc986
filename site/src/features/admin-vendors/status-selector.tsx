import { DecisionSelect } from "#ui/forms/decision-select.tsx";
import { isVendorStatus, statuses, type VendorApplication } from "./model.ts";
import { useSetVendorStatus } from "./queries.ts";

const options = statuses.map(({ status, choice }) => ({ value: status, label: choice }));

/** A decision to approve or reject is mailed to the applicant once it can no longer be undone. */
export function StatusSelector({ application }: { application: VendorApplication }) {
  const setStatus = useSetVendorStatus();
  const { status } = application;
  if (!isVendorStatus(status)) return null;
  return (
    <DecisionSelect
      label={`Status for ${application.booth_name}`}
      value={status}
      options={options}
      busy={setStatus.isPending}
      onApply={(chosen) => setStatus.apply({ seen: application, status: chosen })}
    />
  );
}
