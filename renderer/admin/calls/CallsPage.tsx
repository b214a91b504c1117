// The live calls: filter, pause, details beside the list.
import { Eraser, Pause, Play, Radio } from 'lucide-react'
import { useState } from 'react'
import { Badge, type Tone } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { formatMoment, formatSpan } from '../../ui/format.ts'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { SearchInput } from '../../ui/SearchInput.tsx'
import { type Column, Table } from '../../ui/Table.tsx'
import { useUrlParams } from '../../url-params.ts'
import { CallSheet } from './CallSheet.tsx'
import { OutcomeFilter } from './OutcomeFilter.tsx'
import { type LiveCall, matches, nameOf } from './tail.ts'
import { useCallOfRequest } from './use-call-of-request.ts'
import { useLiveCalls } from './use-live-calls.ts'

/** About two rows. */
const AWAY_PX = 72

const TONES: Readonly<Record<string, Tone>> = { success: 'ok', error: 'bad', refused: 'warn' }

const COLUMNS: readonly Column<LiveCall>[] = [
  {
    key: 'at',
    title: 'Time',
    width: 'w-28',
    cell: ({ at }) => (
      <time dateTime={at} className="whitespace-nowrap text-ink-2">
        {formatMoment(at).slice(11)}
      </time>
    ),
  },
  {
    key: 'outcome',
    title: 'Outcome',
    width: 'w-52',
    cell: ({ outcome, denyCode, failureKind }) => (
      <span className="flex items-center gap-2">
        <Badge tone={TONES[outcome] ?? 'neutral'} dot>
          {outcome}
        </Badge>
        <code className="truncate font-mono text-xs text-ink-2">{denyCode ?? failureKind}</code>
      </span>
    ),
  },
  {
    key: 'tool',
    title: 'Tool',
    grow: true,
    cell: ({ client, ...call }) => (
      <code className="block truncate font-mono text-xs">
        {client && <span className="text-ink-3">{client} / </span>}
        <span className="font-medium">{nameOf(call)}</span>
      </code>
    ),
  },
  {
    key: 'principal',
    title: 'Caller',
    width: 'w-48',
    cell: ({ principal }) => <span className="block max-w-48 truncate">{principal}</span>,
  },
  {
    key: 'surface',
    title: 'Through',
    width: 'w-28',
    cell: ({ surface }) => <span className="text-ink-2">{surface}</span>,
  },
  {
    key: 'duration',
    title: 'Took',
    width: 'w-24',
    align: 'right',
    cell: ({ durationMs }) => <span className="text-ink-2">{formatSpan(durationMs)}</span>,
  },
]

export function CallsPage() {
  const [params, change] = useUrlParams()
  const [held, setHeld] = useState(false)
  /** Scrolled down: rows must not move. */
  const [away, setAway] = useState(false)
  const paused = held || away
  const [opened, setOpened] = useState<LiveCall | undefined>()
  const asked = useCallOfRequest(params.request)
  const { calls, waiting, dropped, read, clear } = useLiveCalls(paused)
  const filter = { q: params.q ?? '', outcome: params.outcome ?? '', client: params.client ?? '' }
  const shown = calls.filter((call) => matches(filter, call))
  return (
    <div className="flex h-full flex-col">
      <PageHeader
        title="Live calls"
        badge={paused && <Badge tone="warn">Paused</Badge>}
        about="Tool calls from every client, in real time."
        actions={
          <Controls
            paused={paused}
            waiting={waiting}
            onClear={clear}
            onPause={(pause) => {
              setHeld(pause)
              setAway(false)
            }}
          />
        }
      />
      <search className="flex items-center gap-3 border-b border-line px-6 pb-3">
        <SearchInput
          label="Find a call"
          placeholder="Tool, caller, code or request id"
          value={filter.q}
          onChange={(q) => change({ q })}
          width="w-72!"
        />
        <OutcomeFilter />
        {asked.missing && (
          <Badge tone="warn" className="max-w-md truncate">
            No call of the request {params.request} was found
          </Badge>
        )}
        <span className="text-xs text-ink-3">
          {shown.length} of {calls.length}
          {dropped > 0 && `, ${dropped} more not shown (high traffic)`}
        </span>
      </search>
      <Table
        className="min-h-0 grow"
        onScrolled={(top) => setAway(top > AWAY_PX)}
        label="Calls, newest first"
        columns={COLUMNS}
        rows={shown}
        loading={calls.length === 0 && read.isPending}
        error={calls.length === 0 ? read.error : undefined}
        onRetry={() => void read.refetch()}
        rowKey={({ key }) => key}
        onOpen={setOpened}
        openKey={opened?.key}
        empty={
          <EmptyState
            icon={Radio}
            {...(calls.length > 0
              ? { title: 'No call matches', about: 'Clear the filter to see other calls.' }
              : { title: 'Waiting for a call', about: 'Calls appear here when they finish.' })}
          />
        }
      />
      <CallSheet
        call={opened ?? asked.call}
        onClose={() => {
          setOpened(undefined)
          change({ request: '' })
        }}
      />
    </div>
  )
}

function Controls({
  paused,
  waiting,
  onClear,
  onPause,
}: {
  readonly paused: boolean
  readonly waiting: number
  readonly onClear: () => void
  readonly onPause: (pause: boolean) => void
}) {
  return (
    <>
      <Button onClick={onClear}>
        <Eraser />
        Clear
      </Button>
      <Button look={paused ? 'strong' : 'plain'} onClick={() => onPause(!paused)}>
        {paused ? <Play /> : <Pause />}
        {paused ? (waiting > 0 ? `Resume, ${waiting} new` : 'Resume') : 'Pause'}
      </Button>
    </>
  )
}
