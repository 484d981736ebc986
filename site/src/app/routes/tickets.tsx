import { TicketsScreen } from "#features/tickets/tickets-screen.tsx";
import { pageHead } from "../head.ts";

export const meta = () =>
  pageHead({
    title: "Tickets and Parking",
    description: "Day tickets, VIP and parking for the Houston Culture Festival on June 27, 2025. Secure checkout, QR code tickets.",
  });

export default TicketsScreen;
