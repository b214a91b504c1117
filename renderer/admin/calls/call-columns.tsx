// The columns of a list of calls.
import type { CallRow } from '#contract'
import { t } from '../../language/language.ts'
import { Badge, type Tone } from '../../ui/Badge.tsx'
import { formatMoment, formatSpan } from '../../ui/format.ts'
import type { Column } from '../../ui/Table.tsx'
import { wireWord } from '../../ui/wire-words.ts'
import { callerOf, nameOf, throughOf } from './call-words.ts'

const TONES: Readonly<Record<string, Tone>> = { success: 'ok', error: 'bad', refused: 'warn' }
/** A call that took longer stands out. */
const SLOW_MS = 1_000

/** Without the date today. */
function shortMoment(at: string): string {
  const moment = formatMoment(at)
  return moment.startsWith(formatMoment(new Date().toISOString()).slice(0, 10)) ? moment.slice(11) : moment.slice(5)
}

export const CALL_COLUMNS: readonly Column<CallRow>[] = [
  {
    key: 'at',
    title: t('Time'),
    width: 'w-32',
    cell: ({ at }) => (
      <time dateTime={at} title={formatMoment(at)} className="whitespace-nowrap text-ink-2">
        {shortMoment(at)}
      </time>
    ),
  },
  {
    key: 'outcome',
    title: t('Outcome'),
    width: 'w-56',
    cell: ({ outcome, denyCode, failureKind, verdict }) => (
      <span className="flex items-center gap-2">
        <Badge tone={TONES[outcome] ?? 'neutral'} dot>
          {wireWord(outcome)}
        </Badge>
        <code className="truncate font-mono text-xs text-ink-2">{denyCode ?? failureKind}</code>
        {verdict?.unrecorded != null && <Badge tone="bad">+{verdict.unrecorded}</Badge>}
      </span>
    ),
  },
  {
    key: 'tool',
    title: t('Tool'),
    grow: true,
    cell: ({ client, ...call }) => (
      <code className="block truncate font-mono text-xs">
        {client && call.tool && <span className="text-ink-3">{client} / </span>}
        <span className="font-medium">{nameOf(call)}</span>
      </code>
    ),
  },
  {
    key: 'caller',
    title: t('Caller'),
    width: 'w-44',
    cell: (call) => (
      <span className="block max-w-44 truncate" title={call.principal}>
        {callerOf(call)}
      </span>
    ),
  },
  {
    key: 'program',
    title: t('Client program'),
    spare: true,
    width: 'w-36',
    cell: ({ program }) => <span className="block max-w-36 truncate text-ink-2">{program}</span>,
  },
  {
    key: 'through',
    title: t('Through'),
    spare: true,
    width: 'w-36',
    cell: (call) => <span className="block max-w-36 truncate text-ink-2">{throughOf(call)}</span>,
  },
  {
    key: 'duration',
    title: t('Took'),
    width: 'w-20',
    align: 'right',
    cell: ({ durationMs }) => (
      <span className={durationMs >= SLOW_MS ? 'text-warn' : 'text-ink-2'}>{formatSpan(durationMs)}</span>
    ),
  },
]
