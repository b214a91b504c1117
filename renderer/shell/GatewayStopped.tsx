// The desktop's gateway has stopped: why, and the way to start it again.
import { useMutation } from '@tanstack/react-query'
import { Power, RotateCw } from 'lucide-react'
import { desktopBridge } from '../api/desktop.ts'
import { useGatewayStatus } from '../api/gateway-status.ts'
import { Button } from '../ui/Button.tsx'

/** Above the page, as long as it is so. */
export function GatewayStopped() {
  const status = useGatewayStatus((known) => known.status)
  if (status?.state !== 'stopped') return null
  return (
    <div
      role="alert"
      className="flex shrink-0 items-center gap-3 border-b border-line bg-warn-soft px-6 py-2.5 text-sm"
    >
      <Power aria-hidden className="size-4 shrink-0 text-warn" />
      <p className="min-w-0 grow">
        <strong className="font-semibold">The gateway is not running.</strong>{' '}
        <span className="whitespace-pre-line">{status.reason ?? 'What you see may be old.'}</span>
      </p>
      <RestartButton />
    </div>
  )
}

/** In place of a page that could not be loaded without it. */
export function NoGateway({ reason }: { readonly reason: string | null }) {
  return (
    <div role="alert" className="mx-auto flex max-w-md flex-col items-center px-6 py-12 text-center">
      <Power aria-hidden className="mb-3 size-7 text-ink-3" strokeWidth={1.5} />
      <h1 className="text-base font-semibold">The gateway is not running</h1>
      <p className="mt-1 text-sm whitespace-pre-line text-ink-2">{reason ?? 'It was stopped.'}</p>
      <div className="mt-4">
        <RestartButton />
      </div>
    </div>
  )
}

function RestartButton() {
  // The outcome is told by main, as a status like any other.
  const restart = useMutation({ mutationFn: async () => desktopBridge()?.gatewayRestart() })
  return (
    <Button busy={restart.isPending} onClick={() => restart.mutate()}>
      <RotateCw />
      Restart the gateway
    </Button>
  )
}
