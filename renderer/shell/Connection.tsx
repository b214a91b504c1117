// Shows whether the page receives live updates.
import { useLiveState } from '../api/live.ts'
import { Dot } from '../ui/Badge.tsx'
import { Tooltip } from '../ui/Tooltip.tsx'

const STATES = {
  connecting: { tone: 'neutral', label: 'Connecting', about: 'Connecting to the gateway’s live updates.', beat: true },
  live: { tone: 'ok', label: 'Live', about: 'This page updates automatically.', beat: false },
  lost: {
    tone: 'warn',
    label: 'Reconnecting',
    about: 'Connection lost. Data may be out of date; it refreshes when the connection is back.',
    beat: true,
  },
} as const

export function Connection() {
  const { tone, label, about, beat } = STATES[useLiveState((live) => live.state)]
  return (
    <Tooltip text={about}>
      <button type="button" className="flex h-6 items-center gap-2 rounded-full px-2 text-xs text-ink-2">
        <Dot tone={tone} className={beat ? 'beat' : ''} />
        <span role="status">{label}</span>
      </button>
    </Tooltip>
  )
}
