import { WalletButtons } from "#features/papers/wallet-buttons.tsx";
import { TicketsButtons } from "#features/papers/document-button.tsx";

/** Shown beside the codes of an order, wherever tickets are listed. */
export const ticketPapers = (orderId: string, passes: number) => (
  <TicketsButtons size="small" orderId={orderId} passes={passes} />
);

/** Shown below each ticket and parking pass. */
export const ticketWallets = ({ id, holder }: { id: string; holder: string }) => (
  <WalletButtons passId={id} what={holder} />
);
