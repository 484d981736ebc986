import type { ReactNode } from "react";
import { Badge } from "#ui/basics/badge.tsx";
import { EmailText } from "#ui/basics/email-text.tsx";
import { Dialog } from "#ui/overlays/dialog.tsx";
import { ErrorState } from "#ui/page/screen-states.tsx";
import { ApplicationPictures } from "./application-pictures.tsx";
import { decisionMailText, statuses, statusName, type VendorApplication } from "./model.ts";
import { useDecisionMail, useVendorApplication } from "./queries.ts";
import { StatusSelector } from "./status-selector.tsx";

interface ApplicationDialogProps {
  /** The application that is open. */
  id: string | undefined;
  /** As the list showed it when the dialog opened. */
  listed: VendorApplication | undefined;
  onClose: () => void;
}

export function ApplicationDialog({ id, listed, onClose }: ApplicationDialogProps) {
  const { data: application, error, isError, refetch } = useVendorApplication(id, listed);
  return (
    <Dialog
      open={id !== undefined}
      onOpenChange={(open) => !open && onClose()}
      title="Vendor Application Details"
    >
      {!application &&
        (isError ? (
          <ErrorState
            title="This application could not be loaded."
            cause={error}
            onRetry={() => void refetch()}
          />
        ) : (
          <p role="status">Loading the application...</p>
        ))}
      {application && (
        <dl className="grid gap-x-6 gap-y-3 sm:grid-cols-2">
          <Item label="Booth name">{application.booth_name}</Item>
          <Item label="Status">
            <StatusBadge status={application.status} />
          </Item>
          <Item label="Contact name">{application.contact_name}</Item>
          <Item label="Email">
            <a className="underline underline-offset-4" href={`mailto:${application.contact_email}`}>
              <EmailText>{application.contact_email}</EmailText>
            </a>
          </Item>
          <Item label="Phone">{application.contact_phone}</Item>
          <Item label="Booth size">{application.booth_size_requested || "Not specified"}</Item>
          <Item label="Description of goods" wide>
            {application.description_of_goods}
          </Item>
          {application.special_requests && (
            <Item label="Special requests" wide>
              {application.special_requests}
            </Item>
          )}
          {application.pictures.length > 0 && (
            <div className="min-w-0 sm:col-span-2">
              <dt className="text-sm font-semibold text-ink-soft">Pictures</dt>
              <dd className="mt-0.5">
                <ApplicationPictures booth={application.booth_name} paths={application.pictures} />
              </dd>
            </div>
          )}
          <Item label="Decision" wide>
            <StatusSelector application={application} />
          </Item>
          <MailItem id={application.id} />
        </dl>
      )}
    </Dialog>
  );
}

function MailItem({ id }: { id: string }) {
  const { data: mail } = useDecisionMail(id);
  if (!mail) return null;
  return (
    <Item label="Decision email" wide>
      {decisionMailText(mail)}
    </Item>
  );
}

export function StatusBadge({ status }: { status: string }) {
  const known = statuses.find((entry) => entry.status === status);
  return <Badge tone={known?.tone ?? "default"}>{statusName(status)}</Badge>;
}

function Item({ label, wide, children }: { label: string; wide?: boolean; children: ReactNode }) {
  return (
    <div className={wide ? "min-w-0 sm:col-span-2" : "min-w-0"}>
      <dt className="text-sm font-semibold text-ink-soft">{label}</dt>
      <dd className="mt-0.5 break-words whitespace-pre-line">{children}</dd>
    </div>
  );
}
