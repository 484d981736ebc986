import { serve } from "../_shared/platform.ts";
import { handler } from "./handler.ts";

serve(handler);
