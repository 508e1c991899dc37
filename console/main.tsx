import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { SessionProvider } from "./api/session.js";
import { Application } from "./pages/application.js";
import { applyTheme } from "./ui/theme.js";
import { say, Toasts } from "./ui/toasts.js";
import "./ui/style.css";

const queries = new QueryClient({
  defaultOptions: { queries: { retry: false, refetchOnWindowFocus: false, staleTime: 2_000 } },
  queryCache: new QueryCache(),
  mutationCache: new MutationCache({ onError: (error) => say({ kind: "error", text: error.message }) }),
});

applyTheme();
createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <SessionProvider>
        <Application />
        <Toasts />
      </SessionProvider>
    </QueryClientProvider>
  </StrictMode>,
);
