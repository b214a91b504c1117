// The desktop application: address, startup, credential encryption, updates.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { FolderOpen, Pause, Play, RefreshCw, ShieldHalf } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { AppFacts, AppSettings, Desktop, UpdateState } from '#channels'
import { useGatewayStatus } from '../../api/gateway-status.ts'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { Field } from '../../ui/Field.tsx'
import { notifyDone, notifyError } from '../../ui/notify.ts'
import { PassphraseForm } from '../../ui/PassphraseForm.tsx'
import { PageSkeleton } from '../../ui/Skeleton.tsx'
import { Switch } from '../../ui/Switch.tsx'
import { submitting } from '../../ui/submitting.ts'

const QUERY = ['this-app'] as const

const SWITCHES = [
  { key: 'launchAtLogin', title: t('Start when I sign in'), about: t('Starts in the tray, without a window.') },
  {
    key: 'closeToTray',
    title: t('Keep running when the window is closed'),
    about: t('Agents stay connected. Quit from the tray or the menu.'),
  },
  {
    key: 'notifications',
    title: t('Notifications'),
    about: t('For pending approvals, a changed gateway address, and crashes.'),
  },
] as const

const NO_TRAY = t('This desktop shows no tray icons, so closing the window quits Gantry.')

const KEY_STORES: Readonly<Record<AppFacts['keyStore'], string>> = {
  keyring: t('Stored credentials are encrypted with a key in the system’s keyring.'),
  passphrase: t('Stored credentials are encrypted with your passphrase, which is requested at every start.'),
  environment: t('Stored credentials are encrypted with SECRET_ENCRYPTION_KEY of the environment.'),
  none: t('Backend credentials cannot be stored.'),
}

export function ThisAppView({ desktop }: { readonly desktop: Desktop }) {
  const queries = useQueryClient()
  const { data: facts, error, refetch } = useQuery({ queryKey: QUERY, queryFn: () => desktop.appFacts() })
  const change = useMutation({
    mutationFn: (settings: Partial<AppSettings>) => desktop.changeSettings(settings),
    onSuccess: (now) => queries.setQueryData(QUERY, now),
    onError: notifyError,
  })
  if (!facts) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <PageSkeleton />
  return (
    <div className="flex max-w-3xl flex-col gap-4 px-6 py-5">
      <AddressSection desktop={desktop} facts={facts} onPort={(port) => change.mutateAsync({ port })} />
      <Section title={t('On this computer')}>
        {SWITCHES.map(({ key, title, about }) => (
          <div key={key} className="flex items-center gap-4">
            <div className="grow">
              <p className="text-sm font-medium">{title}</p>
              <p className="text-xs text-ink-2">{key === 'closeToTray' && !facts.hasTray ? NO_TRAY : about}</p>
            </div>
            <Switch
              label={title}
              on={facts.settings[key] && (key !== 'closeToTray' || facts.hasTray)}
              disabled={key === 'closeToTray' && !facts.hasTray}
              onChange={(on) => change.mutate({ [key]: on })}
            />
          </div>
        ))}
      </Section>
      <Section title={t('Credentials')}>
        <p className="text-sm">{KEY_STORES[facts.keyStore]}</p>
        {facts.keyLack !== null && <p className="text-sm text-warn">{facts.keyLack}</p>}
        {facts.mayChoosePassphrase && (
          <div className="max-w-sm">
            <PassphraseForm submit={t('Set passphrase')} again onGiven={() => void refetch()} />
          </div>
        )}
      </Section>
      <UpdateSection desktop={desktop} facts={facts} onFeed={(updateFeed) => change.mutateAsync({ updateFeed })} />
      <Section title={t('Troubleshooting')}>
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => void desktop.showFolder('logs').catch(notifyError)}>
            <FolderOpen />
            {t('Show the log')}
          </Button>
          <Button onClick={() => void desktop.showFolder('data').catch(notifyError)}>
            <FolderOpen />
            {t('Show the data')}
          </Button>
          <Button onClick={() => void desktop.gatewaySafeMode().catch(notifyError)}>
            <ShieldHalf />
            {t('Restart in safe mode')}
          </Button>
        </div>
        <p className="text-xs text-ink-3">{t('Gantry {version}', { version: facts.version })}</p>
      </Section>
    </div>
  )
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section aria-label={title} className="card">
      <h2 className="border-b border-line px-5 py-2.5 text-sm font-semibold">{title}</h2>
      <div className="flex flex-col gap-3 px-5 py-4">{children}</div>
    </section>
  )
}

type AppView = { readonly desktop: Desktop; readonly facts: AppFacts }

function AddressSection({ desktop, facts, onPort }: AppView & { readonly onPort: (port: number) => Promise<unknown> }) {
  const fixed = facts.fixed.includes('port')
  const [port, setPort] = useState(String(facts.settings.port))
  const [key, setKey] = useState<string | null>()
  const number = Number(port)
  const valid = Number.isInteger(number) && number >= 1024 && number <= 65_535
  const save = useMutation({
    mutationFn: async () => {
      await onPort(number)
      await desktop.gatewayRestart()
    },
    onSuccess: () => notifyDone(t('The gateway has its new port')),
  })
  return (
    <Section title={t('Address for agents')}>
      <form className="flex items-end gap-2" onSubmit={submitting(() => valid && save.mutate())}>
        <Field
          label={t('Port on 127.0.0.1')}
          inputMode="numeric"
          className="w-40"
          value={port}
          disabled={fixed}
          onChange={(event) => setPort(event.target.value)}
          error={valid ? undefined : t('A whole number from 1024 to 65535.')}
          hint={fixed ? t('Set by the environment variable PORT.') : undefined}
        />
        <Button type="submit" busy={save.isPending} disabled={fixed || !valid || number === facts.settings.port}>
          {t('Save and restart')}
        </Button>
        <PauseOrResume desktop={desktop} />
      </form>
      {key === undefined ? (
        <div>
          <Button onClick={() => void desktop.agentKey().then(setKey, notifyError)}>{t('Show the first key')}</Button>
        </div>
      ) : key === null ? (
        <p className="text-sm text-ink-2">
          {t('The first key cannot be shown again. Create another one on the page Keys.')}
        </p>
      ) : (
        <CodeBlock label={t('First key')} text={key} />
      )}
    </Section>
  )
}

function PauseOrResume({ desktop }: { readonly desktop: Desktop }) {
  const running = useGatewayStatus(({ status }) => status?.state === 'running')
  const turn = (): Promise<unknown> => (running ? desktop.gatewayPause() : desktop.gatewayRestart())
  return (
    <Button className="ml-auto" onClick={() => void turn().catch(notifyError)}>
      {running ? <Pause /> : <Play />}
      {running ? t('Pause: serve no agents') : t('Resume: serve agents again')}
    </Button>
  )
}

const updateText = (update: UpdateState): string => {
  switch (update.state) {
    case 'no-feed':
      return 'No update feed is configured.'
    case 'current':
      return 'This is the newest version.'
    case 'available':
      return `${update.version} is being fetched and is installed when you quit.`
    case 'off':
      return update.reason
    case 'failed':
      return `The feed was not followed: ${update.reason}`
  }
}

function UpdateSection({
  desktop,
  facts,
  onFeed,
}: AppView & { readonly onFeed: (feed: string | null) => Promise<unknown> }) {
  const [feed, setFeed] = useState(facts.settings.updateFeed ?? '')
  const plain = feed === '' || /^https:\/\/[^\s@]+$/.test(feed)
  const look = useMutation({
    mutationFn: async () => {
      if (feed !== (facts.settings.updateFeed ?? '')) await onFeed(feed === '' ? null : feed)
      return desktop.checkForUpdate()
    },
  })
  return (
    <Section title={t('Updates')}>
      <form className="flex items-end gap-2" onSubmit={submitting(() => plain && look.mutate())}>
        <div className="grow">
          <Field
            label={t('Feed')}
            placeholder={t('https://updates.example.com/gantry')}
            spellCheck={false}
            value={feed}
            onChange={(event) => setFeed(event.target.value.trim())}
            error={plain ? undefined : t('An https address.')}
          />
        </div>
        <Button type="submit" busy={look.isPending} disabled={!plain}>
          <RefreshCw />
          {t('Save and check')}
        </Button>
      </form>
      <p role="status" className="text-xs text-ink-2">
        {look.data
          ? updateText(look.data)
          : (facts.updatesOff ?? t('Without a feed, Gantry does not check for updates.'))}
      </p>
    </Section>
  )
}
