// Notices that the desktop's gateway is stopped, paused, locked or at another address, with the remedy.
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Power, RotateCw } from 'lucide-react'
import type { ReactNode } from 'react'
import type { GatewayStatus } from '#channels'
import { desktopBridge } from '../api/desktop.ts'
import { useGatewayStatus } from '../api/gateway-status.ts'
import { t } from '../language/language.ts'
import { Button, buttonClass } from '../ui/Button.tsx'
import { notifyDone, notifyError } from '../ui/notify.ts'
import { PassphraseForm } from '../ui/PassphraseForm.tsx'

const TITLES: Readonly<Partial<Record<GatewayStatus['state'], string>>> = {
  stopped: t('The gateway is not running.'),
  paused: t('The gateway is paused.'),
  safe: t('The gateway is in safe mode.'),
}

/** A banner above the page. */
export function GatewayStopped() {
  const status = useGatewayStatus((known) => known.status)
  if (status === null) return null
  if (status.state === 'running' && status.movedFrom !== null && status.url !== null)
    return <Moved from={status.movedFrom} to={status.url} />
  const title = TITLES[status.state]
  if (title === undefined) return null
  return (
    <Banner title={title} reason={status.reason ?? t('Data may be out of date.')}>
      <RestartButton state={status.state} />
    </Banner>
  )
}

function Banner({
  title,
  reason,
  children,
}: {
  readonly title: string
  readonly reason: string
  readonly children: ReactNode
}) {
  return (
    <div
      role="alert"
      className="flex shrink-0 items-center gap-3 border-b border-line bg-warn-soft px-6 py-2.5 text-sm"
    >
      <Power aria-hidden className="size-4 shrink-0 text-warn" />
      <p className="min-w-0 grow">
        <strong className="font-semibold">{title}</strong> <span className="whitespace-pre-line">{reason}</span>
      </p>
      {children}
    </div>
  )
}

/** A request to the old address reaches another program. */
function Moved({ from, to }: { readonly from: string; readonly to: string }) {
  const keep = useMutation({
    mutationFn: async () => desktopBridge()?.changeSettings({ port: Number(new URL(to).port) }),
    onSuccess: () => {
      notifyDone(t('Gantry stays at {to} from now on', { to }))
      useGatewayStatus.setState(({ status }) => ({ status: status && { ...status, movedFrom: null } }))
    },
    onError: notifyError,
  })
  return (
    <Banner
      title={t('Agents find Gantry at {to} now.', { to })}
      reason={t('Another program holds {from}: give agents that were connected there the new address.', { from })}
    >
      <Button busy={keep.isPending} onClick={() => keep.mutate()}>
        {t('Keep this address')}
      </Button>
      <Link to="/connect" className={buttonClass({ look: 'strong' })}>
        {t('Connect agents')}
      </Link>
    </Banner>
  )
}

/** Replaces a page that needs the gateway. */
export function NoGateway({ status }: { readonly status: GatewayStatus }) {
  const locked = status.state === 'locked'
  return (
    <div role="alert" className="mx-auto flex max-w-md flex-col items-center px-6 py-12 text-center">
      <Power aria-hidden className="mb-3 size-7 text-ink-3" strokeWidth={1.5} />
      <h1 className="text-base font-semibold">
        {locked ? t('The gateway waits for your passphrase') : t('The gateway is not running')}
      </h1>
      <p className="mt-1 text-sm whitespace-pre-line text-ink-2">{status.reason ?? t('It was stopped.')}</p>
      <div className="mt-4">
        {locked ? <PassphraseForm submit={t('Unlock')} /> : <RestartButton state={status.state} />}
      </div>
    </div>
  )
}

function RestartButton({ state }: Pick<GatewayStatus, 'state'>) {
  // Main reports the outcome as a status.
  const restart = useMutation({ mutationFn: async () => desktopBridge()?.gatewayRestart() })
  return (
    <Button busy={restart.isPending} onClick={() => restart.mutate()}>
      <RotateCw />
      {state === 'paused' ? t('Resume') : t('Restart the gateway')}
    </Button>
  )
}
