// The level: its actors, the chosen one with its component, and new volumes.
import { useQuery } from '@tanstack/react-query'
import { Box, Plus, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import type { InspectionOutput } from '#pcg-catalog'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button, IconButton } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { SearchInput } from '../../ui/SearchInput.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { actorsQuery, componentQuery } from '../editor/queries.ts'
import { useRunners } from '../generate/use-actor.ts'
import { hasNoExtent } from '../model/problems.ts'
import type { PanelProps } from '../panels.ts'
import { useStudio } from '../studio.ts'
import { useGestures } from '../use-gestures.ts'
import { ComponentForm } from './ComponentForm.tsx'
import { SpawnVolume } from './SpawnVolume.tsx'

type LevelActor = InspectionOutput<'list_pcg_actors'>['actors'][number]

export function LevelPanel({ editor, graph }: PanelProps) {
  const { data, isError, error, refetch } = useQuery(actorsQuery(editor))
  const { running } = useRunners(editor, graph)
  const chosen = useStudio((state) => state.actor)
  const setActor = useStudio((state) => state.setActor)
  const [word, setWord] = useState('')
  const [spawning, setSpawning] = useState(false)
  if (isError && !data) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton className="m-3 h-24" />
  const actor = data.actors.find(({ actor_name }) => actor_name === chosen)
  const shown = data.actors.filter(({ actor_name, actor_label }) =>
    `${actor_name} ${actor_label}`.toLowerCase().includes(word.toLowerCase()),
  )
  return (
    <div className="flex flex-col gap-2 px-3 pb-3">
      <div className="flex items-center gap-1">
        <SearchInput label={t('Find an actor')} value={word} onChange={setWord} width="w-full" />
        <IconButton
          label={t('New volume')}
          title={t('New volume')}
          aria-expanded={spawning}
          onClick={() => setSpawning(!spawning)}
        >
          <Plus />
        </IconButton>
      </div>
      {spawning && <SpawnVolume graph={graph} onSpawned={setActor} />}
      {data.actors.length === 0 && !spawning ? (
        <EmptyState
          icon={Box}
          title={t('The level is empty')}
          about={t('A graph is generated inside the bounds of an actor. Spawn a volume for it.')}
          action={
            <Button look="strong" onClick={() => setSpawning(true)}>
              {t('New volume')}
            </Button>
          }
        />
      ) : (
        <ul aria-label={t('Actors')} className="flex max-h-64 flex-col overflow-y-auto">
          {shown.map((each) => (
            <ActorRow
              key={each.actor_name}
              actor={each}
              chosen={each.actor_name === chosen}
              runs={running?.includes(each.actor_name) === true}
              onChoose={() => setActor(each.actor_name === chosen ? null : each.actor_name)}
            />
          ))}
        </ul>
      )}
      {actor && <OfActor key={actor.actor_name} editor={editor} graph={graph} actor={actor} />}
    </div>
  )
}

type ActorRowProps = {
  readonly actor: LevelActor
  readonly chosen: boolean
  readonly runs: boolean
  readonly onChoose: () => void
}

function ActorRow({ actor, chosen, runs, onChoose }: ActorRowProps) {
  const instances = actor.spawned.reduce((sum, item) => sum + item.instances, 0)
  return (
    <li>
      <button
        type="button"
        aria-pressed={chosen}
        onClick={onChoose}
        className={cx(
          'flex w-full items-center gap-2 rounded-md px-2 py-1.5 text-left text-sm hover:bg-hover',
          chosen && 'bg-pressed font-medium',
        )}
      >
        <span className="min-w-0 grow truncate">{actor.actor_label}</span>
        {instances > 0 && <span className="text-2xs text-ink-3">{instances.toLocaleString('en')}</span>}
        {runs && <Badge tone="ok">{t('runs this graph')}</Badge>}
        {!runs && actor.has_component && <Badge>{t('component')}</Badge>}
        {hasNoExtent(actor) && (
          <TriangleAlert
            aria-label={t('No extent: nothing can be generated')}
            className="size-3.5 shrink-0 text-warn"
          />
        )}
      </button>
    </li>
  )
}

type OfActorProps = { readonly editor: string; readonly graph: string | null; readonly actor: LevelActor }

function OfActor({ editor, graph, actor }: OfActorProps) {
  const component = useQuery(componentQuery(editor, actor.actor_name))
  const { perform } = useGestures()
  const triple = (numbers: readonly number[]) => numbers.map((each) => Math.round(each)).join(' · ')
  const add = () =>
    void perform({
      label: t('Add a component to {actor_label}', { actor_label: actor.actor_label }),
      async edit(call) {
        await call('add_pcg_component', {
          actor_name: actor.actor_name,
          ...(graph === null ? {} : { pcg_graph_path: graph }),
        })
        return undefined
      },
    })
  return (
    <section aria-label={actor.actor_label} className="flex flex-col gap-2 border-t border-line pt-3">
      <dl className="grid grid-cols-[5rem_1fr] gap-x-2 text-2xs">
        <dt className="text-ink-3">{t('Class')}</dt>
        <dd className="truncate font-mono">{actor.actor_class}</dd>
        <dt className="text-ink-3">{t('Centre')}</dt>
        <dd className="font-mono">{triple(actor.bounds_origin)}</dd>
        <dt className="text-ink-3">{t('Half size')}</dt>
        <dd className="font-mono">{triple(actor.bounds_extent)}</dd>
      </dl>
      {hasNoExtent(actor) && (
        <p role="status" className="rounded-md bg-warn-soft px-2 py-1.5 text-xs text-warn">
          {t('It has no extent, so nothing is generated, without an error. Spawn a volume with a half size instead.')}
        </p>
      )}
      {component.isError && !component.data ? (
        <ErrorState error={component.error} onRetry={() => void component.refetch()} />
      ) : !component.data ? (
        <Skeleton className="h-16" />
      ) : component.data.has_component ? (
        <ComponentForm editor={editor} graph={graph} info={component.data} />
      ) : (
        <Button size="sm" className="self-start" onClick={add}>
          {graph === null ? t('Add a component') : t('Add a component with this graph')}
        </Button>
      )}
    </section>
  )
}
