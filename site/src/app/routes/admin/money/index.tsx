import { Navigate } from "react-router";

export default function MoneyRoute() {
  return <Navigate to="/admin/money/sales" replace />;
}
