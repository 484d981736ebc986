import { AuditScreen } from "#features/admin-audit/audit-screen.tsx";
import { adminHead } from "../../admin-head.ts";

export const meta = () => adminHead("Audit Logs");

export default AuditScreen;
