import { useParams } from "react-router";
import { OrderScreen } from "#features/admin-orders/order/order-screen.tsx";
import { adminHead } from "../../admin-head.ts";

export const meta = () => adminHead("Order");

export default function AdminOrderRoute() {
  const { id = "" } = useParams();
  return <OrderScreen key={id} id={id} />;
}
