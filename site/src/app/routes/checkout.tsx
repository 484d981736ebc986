import { CheckoutScreen } from "#features/checkout/checkout-screen.tsx";
import { pageHead } from "../head.ts";

export const meta = () =>
  pageHead({
    title: "Checkout",
    description: "Attendees, payment and confirmation.",
    personal: true,
  });

export default CheckoutScreen;
