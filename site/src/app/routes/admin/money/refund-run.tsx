import { useParams } from "react-router";
import { RunScreen } from "#features/admin-money/run-screen.tsx";
import { adminHead } from "../../../admin-head.ts";

export const meta = () => adminHead("Refund run");

export default function RefundRunRoute() {
  const { id = "" } = useParams();
  return <RunScreen key={id} id={id} />;
}
