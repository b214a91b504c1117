// The states of a local server, and its changes.
import type { LocalServer as Server } from '#contract'
import { t } from '../../language/language.ts'
import type { Tone } from '../../ui/Badge.tsx'
import { useChanges } from '../../ui/use-records.ts'

export const STATES: Readonly<Record<Server['state'], { readonly label: string; readonly tone: Tone }>> = {
  stopped: { label: t('Stopped'), tone: 'neutral' },
  resolving: { label: t('Preparing'), tone: 'info' },
  starting: { label: t('Starting'), tone: 'info' },
  ready: { label: t('In use'), tone: 'ok' },
  idle: { label: t('Idle'), tone: 'ok' },
  stopping: { label: t('Stopping'), tone: 'info' },
  failed: { label: t('Failed'), tone: 'bad' },
}

export const useServerChanges = () => useChanges('localServers', 'clients', 'tools', 'overview')
