// The screen is at /admin/audit-logs; this older address leads there (PRODUCT 2.5).
import { Navigate } from "react-router";

export default function AuditRedirect() {
  return <Navigate to="/admin/audit-logs" replace />;
}
