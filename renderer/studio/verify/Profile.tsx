// What a component costs: the cells of its grid as a map of heat, and how the time of each node grows with the area.

import { useMutation } from '@tanstack/react-query'
import { Gauge } from 'lucide-react'
import { useState } from 'react'
import type { AuthoringOutput } from '#pcg-catalog'
import { plural, t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { Field } from '../../ui/Field.tsx'
import { formatBytes } from '../../ui/format.ts'
import { submitting } from '../../ui/submitting.ts'
import { useOverlay } from '../canvas/overlay.ts'
import { author } from '../editor/calls.ts'
import { useIntoView } from './use-into-view.ts'

type Profile = AuthoringOutput<'profile_pcg_component'>
type Cell = Profile['cells'][number]
type Props = { readonly editor: string; readonly actor: string | null; readonly reason: string | null }

const METRE = 100
const ms = (value: number): string => t('{ms} ms', { ms: value.toFixed(1) })

export function ProfileForm({ editor, actor, reason }: Props) {
  const [side, setSide] = useState('')
  const size = side.trim() === '' ? null : Number(side) * METRE
  const wrong = size !== null && !(size >= METRE && size <= 10_000 * METRE)
  const profile = useMutation({
    mutationFn: (actor_name: string) => author(editor, 'profile_pcg_component', { actor_name, cell_size: size }),
  })
  const results = useIntoView<HTMLDivElement>(profile.data)
  return (
    <section aria-label={t('Profile')} className="flex flex-col gap-3 border-t border-line pt-3">
      <h3 className="text-sm font-medium">{t('Profile')}</h3>
      <form
        className="flex flex-wrap items-end gap-2"
        onSubmit={submitting(() => actor !== null && profile.mutate(actor))}
      >
        <div className="w-40">
          <Field
            label={t('Cell side in metres')}
            placeholder="256"
            value={side}
            error={wrong ? t('A number from 1 to 10000') : undefined}
            onChange={(event) => setSide(event.target.value)}
          />
        </div>
        <span title={reason ?? undefined}>
          <Button type="submit" busy={profile.isPending} disabled={wrong || reason !== null}>
            <Gauge /> {t('Profile component')}
          </Button>
        </span>
      </form>
      {profile.isError && <ErrorNote error={profile.error} />}
      {profile.data && (
        <div ref={results} className="flex flex-col gap-3">
          <Cells cells={profile.data.cells} />
          <Growth growth={profile.data.growth} />
        </div>
      )}
    </section>
  )
}

/** Rows from north to south, as the map of the level. */
function Cells({ cells }: { readonly cells: readonly Cell[] }) {
  const [chosen, choose] = useState<Cell | null>(null)
  if (cells.length === 0) return null
  const most = Math.max(...cells.map((cell) => cell.ms), Number.MIN_VALUE)
  const columns = new Set(cells.map(({ column }) => column)).size
  const ordered = cells.toSorted((one, other) => other.row - one.row || one.column - other.column)
  return (
    <div className="flex flex-col gap-2">
      <div
        role="group"
        aria-label={t('Cost of each cell')}
        className="grid max-w-xl gap-1"
        style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}
      >
        {ordered.map((cell) => (
          <button
            key={`${cell.column} ${cell.row}`}
            type="button"
            aria-pressed={chosen === cell}
            className="relative overflow-hidden rounded-md border border-line p-1.5 text-left text-xs tabular-nums aria-pressed:border-accent"
            onClick={() => choose(cell)}
          >
            <span aria-hidden className="absolute inset-0 bg-warn-soft" style={{ opacity: cell.ms / most }} />
            <span className="relative flex flex-col">
              <span className="truncate text-ink-3">
                {t('Cell {column}, {row}', { column: cell.column, row: cell.row })}
              </span>
              <span className="truncate font-medium">{ms(cell.ms)}</span>
              <span className="truncate text-ink-3">
                {cell.ms_before === null ? '–' : t('before {time}', { time: ms(cell.ms_before) })}
              </span>
            </span>
          </button>
        ))}
      </div>
      {chosen && <CellNodes cell={chosen} />}
    </div>
  )
}

function CellNodes({ cell }: { readonly cell: Cell }) {
  const focus = useOverlay((state) => state.focus)
  return (
    <div className="flex flex-col gap-1 text-xs">
      <p role="status">
        {t('Cell {column}, {row}', { column: cell.column, row: cell.row })}: {ms(cell.ms)},{' '}
        {plural(cell.instances, '{count} instance', '{count} instances')}, {formatBytes(cell.bytes)}
      </p>
      {cell.error !== null && <p className="text-bad">{cell.error}</p>}
      <ul className="flex flex-col">
        {cell.nodes.map((node) => (
          <li key={node.node_name} className="flex gap-2 border-b border-line/60 py-1 tabular-nums last:border-0">
            <button
              type="button"
              className="min-w-0 grow truncate text-left hover:underline"
              onClick={() => focus(node.node_name)}
            >
              {node.node_name}
            </button>
            <span>{node.ms === null ? '–' : ms(node.ms)}</span>
            <span className="w-24 text-right text-ink-3">{plural(node.points, '{count} point', '{count} points')}</span>
            <span className="w-20 text-right text-ink-3">{node.bytes === null ? '–' : formatBytes(node.bytes)}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}

function Growth({ growth }: Pick<Profile, 'growth'>) {
  const known = growth.filter(({ exponent }) => exponent !== null)
  if (growth.length === 0) return null
  return (
    <div className="flex flex-col gap-1 text-xs">
      <p className="font-medium">{t('Time against the area')}</p>
      {known.length === 0 && <p className="text-ink-3">{t('Every node is too fast to measure its growth.')}</p>}
      <ul className="flex flex-col">
        {known.map(({ node_name, exponent, runs }) => (
          <li key={node_name} className="flex gap-2 border-b border-line/60 py-1 tabular-nums last:border-0">
            <span className="min-w-0 grow truncate">{node_name}</span>
            <span className="text-ink-3">{runs.map((run) => `${run.size}× ${ms(run.ms)}`).join(' · ')}</span>
            <span>{t('grows with area^{power}', { power: (exponent ?? 0).toFixed(1) })}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
