import { VendorsScreen } from "#features/vendors/vendors-screen.tsx";
import { pageHead } from "../head.ts";

export const meta = () =>
  pageHead({
    path: "/vendors",
    title: "Become a Vendor",
    description: "Sell at the Houston Culture Festival: apply for a food, retail or art booth.",
  });

export default function Vendors() {
  return <VendorsScreen />;
}
