// Says whether what is on screen follows the gateway, and that it will again.
import { useLiveState } from '../api/live.ts'
import { Dot } from '../ui/Badge.tsx'
import { Tooltip } from '../ui/Tooltip.tsx'

const STATES = {
  connecting: { tone: 'neutral', label: 'Connecting', about: 'Opening the live line to the gateway.', beat: true },
  live: { tone: 'ok', label: 'Live', about: 'What you see follows the gateway by itself.', beat: false },
  lost: {
    tone: 'warn',
    label: 'Reconnecting',
    about: 'The live line was cut. What you see may be old; it is brought up to date as soon as the line is back.',
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
