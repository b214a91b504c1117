// Whether a key works, and why not.
import type { KeyRecord } from '#contract'
import { t } from '../../language/language.ts'
import { Badge, type Tone } from '../../ui/Badge.tsx'
import { useNow } from '../../ui/RelativeTime.tsx'
import { type KeyState, stateOf } from './reach.ts'

const STATE_BADGES: Readonly<Record<KeyState, { readonly tone: Tone; readonly text: string }>> = {
  active: { tone: 'ok', text: t('Active') },
  off: { tone: 'neutral', text: t('Off') },
  expired: { tone: 'warn', text: t('Expired') },
  revoked: { tone: 'bad', text: t('Revoked') },
}

export function KeyStateBadge({ record }: { readonly record: KeyRecord }) {
  const { tone, text } = STATE_BADGES[stateOf(record, useNow())]
  return (
    <Badge tone={tone} dot>
      {text}
    </Badge>
  )
}
