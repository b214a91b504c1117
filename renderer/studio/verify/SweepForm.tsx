// A sweep over seeds and values of one parameter: a grid of pictures with counts and times; one of them is applied.

import { useMutation, useQuery } from '@tanstack/react-query'
import { Grid3x3 } from 'lucide-react'
import { useState } from 'react'
import type { AuthoringOutput } from '#pcg-catalog'
import { plural, t } from '../../language/language.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { Field } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { submitting } from '../../ui/submitting.ts'
import { author } from '../editor/calls.ts'
import { componentQuery, parametersQuery } from '../editor/queries.ts'
import { useBuiltIn } from '../editor/use-built-in.ts'
import { useGestures } from '../use-gestures.ts'
import { MOST_SEEDS, seedsFrom, valuesOf } from './sweep-input.ts'
import { useIntoView } from './use-into-view.ts'

type Run = AuthoringOutput<'sweep_pcg_graph'>['runs'][number]
type Props = { readonly editor: string; readonly graph: string; readonly actor: string | null }

const NONE = ''
const USUAL_SEED = 42
/** Sharp on screens with two dots per pixel. */
const PICTURE = 256

export function SweepForm({ editor, graph, actor }: Props) {
  const builtIn = useBuiltIn(editor) === true
  const { data: parameters } = useQuery(parametersQuery(editor, graph))
  const { data: component } = useQuery({ ...componentQuery(editor, actor ?? ''), enabled: actor !== null })
  const [seeds, setSeeds] = useState('4')
  const [parameter, setParameter] = useState(NONE)
  const [text, setText] = useState('')
  const chosen = parameters?.parameters.find(({ name }) => name === parameter)
  const values = chosen ? valuesOf(text, chosen.type) : []
  const wrong = chosen !== undefined && (values === null || values.length === 0)
  const sweep = useMutation({
    mutationFn: () =>
      author(editor, 'sweep_pcg_graph', {
        pcg_graph_path: graph,
        ...(actor === null ? {} : { actor_name: actor }),
        seeds: seedsFrom(component?.seed ?? USUAL_SEED, Number(seeds)),
        values: chosen && values ? [{ name: chosen.name, values }] : [],
        picture: builtIn ? PICTURE : null,
      }),
  })
  const reason = !builtIn && actor === null ? t('Choose an actor in the panel Level first') : null
  return (
    <section aria-label={t('Sweep')} className="flex flex-col gap-3 border-t border-line pt-3">
      <h3 className="text-sm font-medium">{t('Sweep')}</h3>
      <form className="flex flex-wrap items-end gap-2" onSubmit={submitting(() => sweep.mutate())}>
        <div className="w-24">
          <Field
            label={t('Seeds')}
            type="number"
            min={0}
            max={MOST_SEEDS}
            value={seeds}
            onChange={(event) => setSeeds(event.target.value)}
          />
        </div>
        <Select
          label={t('Parameter')}
          className="w-40"
          value={parameter}
          options={[
            { value: NONE, label: t('None') },
            ...(parameters?.parameters ?? []).map(({ name }) => ({ value: name, label: name })),
          ]}
          onChange={setParameter}
        />
        {chosen && (
          <div className="w-48">
            <Field
              label={t('Values')}
              placeholder="0.1, 0.2, 0.5"
              value={text}
              error={
                wrong && text !== '' ? t('Values of the type {type}, with commas', { type: chosen.type }) : undefined
              }
              onChange={(event) => setText(event.target.value)}
            />
          </div>
        )}
        <span title={reason ?? undefined}>
          <Button type="submit" busy={sweep.isPending} disabled={wrong || reason !== null}>
            <Grid3x3 /> {t('Run sweep')}
          </Button>
        </span>
      </form>
      {sweep.isError && <ErrorNote error={sweep.error} />}
      {sweep.data && <Grid runs={sweep.data.runs} threads={sweep.data.threads} graph={graph} actor={actor} />}
    </section>
  )
}

const nameOf = ({ seed, values }: Run): string =>
  [
    ...(seed === null ? [] : [t('Seed {seed}', { seed })]),
    ...values.map(({ name, value }) => `${name} = ${String(value)}`),
  ].join(', ')

type GridProps = {
  readonly runs: readonly Run[]
  readonly threads: number
  readonly graph: string
  readonly actor: string | null
}
function Grid({ runs, threads, graph, actor }: GridProps) {
  const at = useIntoView<HTMLDivElement>(runs)
  return (
    <div ref={at} className="flex flex-col gap-2">
      <p role="status" className="text-xs text-ink-3">
        {plural(runs.length, '{count} run', '{count} runs')}, {plural(threads, '{count} core', '{count} cores')}
      </p>
      <ul className="grid grid-cols-[repeat(auto-fill,minmax(9rem,1fr))] gap-2">
        {runs.map((run) => (
          <Cell key={nameOf(run)} run={run} graph={graph} actor={actor} />
        ))}
      </ul>
    </div>
  )
}

function Cell({ run, graph, actor }: { readonly run: Run } & Pick<GridProps, 'graph' | 'actor'>) {
  const { perform, locked } = useGestures()
  const name = nameOf(run)
  const failed = run.assertions.filter(({ passed }) => !passed).length
  const apply = useMutation({
    mutationFn: () =>
      perform({
        label: t('Apply {name}', { name }),
        async edit(call) {
          for (const { name: parameter, value } of run.values)
            await call('set_pcg_graph_parameter', { pcg_graph_path: graph, name: parameter, value: String(value) })
          if (run.seed !== null && actor !== null)
            await call('set_pcg_component_properties', { actor_name: actor, properties: { Seed: run.seed } })
          return undefined
        },
      }),
  })
  const useless = run.values.length === 0 && actor === null
  return (
    <li aria-label={name} className="flex flex-col gap-1 rounded-md border border-line bg-raised p-2 text-xs">
      {run.picture !== null && (
        <img
          alt={t('Points of {name}', { name })}
          src={`data:image/png;base64,${run.picture}`}
          className="aspect-square w-full rounded-sm"
        />
      )}
      <span className="truncate font-medium" title={name}>
        {name}
      </span>
      {run.error === null ? (
        <span className="text-ink-2 tabular-nums">
          {plural(run.instances, '{count} instance', '{count} instances')} · {t('{ms} ms', { ms: run.ms.toFixed(1) })}
        </span>
      ) : (
        <span className="text-bad">{run.error}</span>
      )}
      {failed > 0 && (
        <Badge tone="bad">{plural(failed, '{count} assertion failed', '{count} assertions failed')}</Badge>
      )}
      <Button
        size="sm"
        look="quiet"
        aria-label={t('Apply {name}', { name })}
        busy={apply.isPending}
        disabled={locked !== null || run.error !== null || useless}
        title={locked ?? (useless ? t('Choose an actor in the panel Level first') : t('One step, which can be undone'))}
        onClick={() => apply.mutate()}
      >
        {t('Apply')}
      </Button>
    </li>
  )
}
