import { OrderConfirmationScreen } from "#features/orders/order-confirmation-screen.tsx";
import { pageHead } from "../head.ts";

export const meta = () =>
  pageHead({
    title: "Order Confirmation",
    description: "Your order and its tickets.",
    personal: true,
  });

export default OrderConfirmationScreen;
