// A ticket that its holder passes on, behind the link in the recipient's mail.
import { TransferScreen } from "#features/transfer/transfer-screen.tsx";
import { NeedsScript } from "../frame/needs-script.tsx";
import { pageHead } from "../head.ts";

export const meta = () =>
  pageHead({
    title: "A Ticket for You",
    description: "Accept a ticket someone is transferring to you.",
  });

export default function TransferRoute() {
  return (
    <div className="page-width pt-28 pb-24 sm:pt-36 print:pt-0">
      <NeedsScript title="A Ticket for You" />
      <TransferScreen />
    </div>
  );
}
