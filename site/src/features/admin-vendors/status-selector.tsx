import { Select } from "#ui/input.tsx";
import { isVendorStatus, statuses, type VendorApplication } from "./model.ts";
import { useSetVendorStatus } from "./queries.ts";

/** Decides at once. Approving and rejecting mails the applicant. */
export function StatusSelector({ application }: { application: VendorApplication }) {
  const setStatus = useSetVendorStatus();
  return (
    <Select
      dense
      className="w-40"
      aria-label={`Status of ${application.booth_name}`}
      disabled={setStatus.isPending}
      value={setStatus.isPending ? setStatus.variables.status : application.status}
      onChange={(event) => {
        const status = event.target.value;
        if (isVendorStatus(status)) setStatus.mutate({ seen: application, status });
      }}
    >
      {statuses.map(({ status, choice }) => (
        <option key={status} value={status}>
          {choice}
        </option>
      ))}
    </Select>
  );
}
