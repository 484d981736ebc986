// The screen is at /admin/audit-logs. This older address redirects to it (PRODUCT 2.5).
import { Navigate } from "react-router";

export default function AuditRedirect() {
  return <Navigate to="/admin/audit-logs" replace />;
}
