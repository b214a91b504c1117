// The root of the app: data, routes, theme, tooltips and toasts.
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useEffect } from 'react'
import { ApiError } from '#contract'
import { desktopBridge } from './api/desktop.ts'
import { useGatewayStatus, watchGateway } from './api/gateway-status.ts'
import { sessionEnded, sessionIsOver } from './api/session.ts'
import { language } from './language/language.ts'
import { makeRouter } from './router.tsx'
import { NoGateway } from './shell/GatewayStopped.tsx'
import { applyLook, usePreferences } from './ui/preferences.ts'
import { Toaster } from './ui/Toaster.tsx'
import { TooltipProvider } from './ui/Tooltip.tsx'

const onError = (error: unknown): void => {
  if (sessionEnded(error)) sessionIsOver(queries)
}

const queries = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  // The gateway may run on this computer, so query it even without a network.
  defaultOptions: {
    mutations: { networkMode: 'always' },
    queries: {
      staleTime: 5_000,
      networkMode: 'always',
      // Retries only if the gateway is unreachable, not after a refusal.
      retry: (failures, error) => failures < 2 && error instanceof ApiError && error.status === 0,
    },
  },
})

const router = makeRouter(window.location)

export function App() {
  const { theme, highContrast, compact } = usePreferences()
  useEffect(() => applyLook({ theme, highContrast, compact }, document.documentElement), [theme, highContrast, compact])
  // Stores both for the next window and for what is outside of it; a failure is harmless.
  useEffect(
    () =>
      void desktopBridge()
        ?.changeSettings({ theme, language })
        .catch(() => undefined),
    [theme],
  )
  const locked = useGatewayStatus(({ status }) => (status?.state === 'locked' ? status : null))
  useEffect(() => {
    const desktop = desktopBridge()
    return desktop && watchGateway(desktop)
  }, [])
  return (
    <QueryClientProvider client={queries}>
      <TooltipProvider delay={400}>
        {/* Outside the pages, so that a failing or reloading page does not lose its input. */}
        {locked ? <NoGateway status={locked} /> : <RouterProvider router={router} />}
        <Toaster theme={theme} />
      </TooltipProvider>
    </QueryClientProvider>
  )
}
