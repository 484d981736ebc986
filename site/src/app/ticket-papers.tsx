import { TicketsButtons } from "#features/papers/document-button.tsx";

/** Beside the codes of an order, wherever tickets are listed. */
export const ticketPapers = (orderId: string, passes: number) => (
  <TicketsButtons size="small" orderId={orderId} passes={passes} />
);
