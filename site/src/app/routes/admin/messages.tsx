import { MessagesScreen } from "#features/admin-messages/messages-screen.tsx";
import { adminHead } from "../../admin-head.ts";

export const meta = () => adminHead("Messages");

export default MessagesScreen;
