// The specification's navigation led to /admin/audit, which was never registered.
import { Navigate } from "react-router";

export default function AuditRedirect() {
  return <Navigate to="/admin/audit-logs" replace />;
}
