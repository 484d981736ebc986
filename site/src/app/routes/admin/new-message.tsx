import { ComposeScreen } from "#features/admin-messages/compose-screen.tsx";
import { adminHead } from "../../admin-head.ts";

export const meta = () => adminHead("Write a Message");

export default ComposeScreen;
