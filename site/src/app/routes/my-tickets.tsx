import { MyTicketsScreen } from "#features/orders/my-tickets-screen.tsx";
import { pageHead } from "../head.ts";

export const meta = () =>
  pageHead({
    title: "My Tickets",
    description: "Your orders and tickets with entry QR codes.",
    personal: true,
  });

export default MyTicketsScreen;
