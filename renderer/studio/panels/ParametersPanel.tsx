// The parameters of the open graph: values, new parameters, and the nodes that use them.

import { useQueries, useQuery } from '@tanstack/react-query'
import { SlidersVertical } from 'lucide-react'
import { useState } from 'react'
import { PARAMETER_TYPES } from '#pcg-catalog'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { Field } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { submitting } from '../../ui/submitting.ts'
import { graphQuery, nodeQuery, parametersQuery } from '../editor/queries.ts'
import { useBuiltIn } from '../editor/use-built-in.ts'
import { useGeneration } from '../generate/generation.ts'
import { byCategory, listedIn } from '../model/parameters.ts'
import type { PanelProps } from '../panels.ts'
import { useGestures } from '../use-gestures.ts'
import { useParameterList } from './ParameterMenu.tsx'
import { type Parameter, ParameterRow } from './ParameterRow.tsx'

export function ParametersPanel({ editor, graph }: PanelProps) {
  if (graph === null)
    return (
      <EmptyState
        icon={SlidersVertical}
        title={t('Nothing to show')}
        about={t('Open a graph to see its parameters.')}
      />
    )
  return <OfGraph editor={editor} graph={graph} />
}

function OfGraph({ editor, graph }: { readonly editor: string; readonly graph: string }) {
  const { data, isError, error, refetch } = useQuery(parametersQuery(editor, graph))
  const readers = useReaders(editor, graph)
  const parameters = useParameterList(graph, useListed(editor, graph))
  const usedValues = useGeneration((state) => state.parameters)
  if (isError && !data) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton className="m-3 h-24" />
  const then = usedValues?.graph === graph ? usedValues.values : undefined
  const groups = parameters
    ? [...byCategory(parameters.list)].map(([category, members]) => ({
        category,
        members: members.flatMap(({ name }) => data.parameters.find((each) => each.name === name) ?? []),
      }))
    : [{ category: '', members: data.parameters }]
  return (
    <div className="flex flex-col gap-2 px-3 pb-3">
      {data.parameters.length === 0 ? (
        <p className="py-2 text-sm text-ink-2">
          {t('This graph has no parameters yet. A parameter is a value that can be changed without editing nodes.')}
        </p>
      ) : (
        groups.map(({ category, members }) => (
          <section key={category} aria-label={category === '' ? t('No category') : category}>
            {groups.length > 1 && (
              <h3 className="eyebrow pt-2 pb-0.5">{category === '' ? t('No category') : category}</h3>
            )}
            <ul className="flex flex-col">
              {members.map((parameter) => (
                <ParameterRow
                  key={parameter.name}
                  graph={graph}
                  parameter={parameter}
                  readers={readers.get(parameter.name.toLowerCase()) ?? []}
                  changed={then !== undefined && then[parameter.name] !== parameter.value}
                  parameters={parameters}
                />
              ))}
            </ul>
          </section>
        ))
      )}
      <AddParameter graph={graph} taken={data.parameters} />
    </div>
  )
}

/** The parameters with their order and categories; only the built-in editor lists them. */
function useListed(editor: string, graph: string) {
  const embedded = useBuiltIn(editor)
  const { data: input } = useQuery({ ...nodeQuery(editor, graph, 'Input'), enabled: embedded === true })
  return input && listedIn(input.properties)
}

const GET_PARAMETER = 'PCGUserParameterGetSettings'

/** The nodes that use a parameter, by its name in lower case. */
function useReaders(editor: string, graph: string): ReadonlyMap<string, readonly string[]> {
  const { data: info } = useQuery(graphQuery(editor, graph))
  const names = (info?.nodes ?? []).flatMap((node) => (node.settings_class === GET_PARAMETER ? [node.node_name] : []))
  const answers = useQueries({ queries: names.map((name) => nodeQuery(editor, graph, name)) })
  const readers = new Map<string, string[]>()
  for (const { data } of answers) {
    const parameter = data?.properties['PropertyName']
    if (!data || typeof parameter !== 'string') continue
    const key = parameter.toLowerCase()
    readers.set(key, [...(readers.get(key) ?? []), data.node_name])
  }
  return readers
}

function AddParameter({ graph, taken }: { readonly graph: string; readonly taken: readonly Parameter[] }) {
  const { perform } = useGestures()
  const [name, setName] = useState('')
  const [type, setType] = useState<Parameter['type']>('float')
  const [busy, setBusy] = useState(false)
  const exists = taken.some((each) => each.name.toLowerCase() === name.trim().toLowerCase())
  async function add(): Promise<void> {
    setBusy(true)
    const done = await perform({
      label: t('Add the parameter {name}', { name: name.trim() }),
      async edit(call) {
        await call('add_pcg_graph_parameter', { pcg_graph_path: graph, name: name.trim(), type })
        return undefined
      },
    })
    setBusy(false)
    if (done) setName((now) => (now === name ? '' : now))
  }
  return (
    <form
      aria-label={t('Add a parameter')}
      className="flex flex-col gap-2 border-t border-line pt-3"
      onSubmit={submitting(() => name.trim() !== '' && !exists && add())}
    >
      <div className="grid grid-cols-[1fr_6rem] gap-2">
        <Field
          label={t('New parameter')}
          placeholder={'TreeDensity'}
          value={name}
          error={exists ? t('This graph already has it.') : undefined}
          onChange={(event) => setName(event.target.value)}
        />
        <Select
          label={t('Type')}
          value={type}
          options={PARAMETER_TYPES.map((each) => ({ value: each, label: each }))}
          onChange={setType}
        />
      </div>
      <Button type="submit" size="sm" className="self-start" busy={busy} disabled={name.trim() === '' || exists}>
        {t('Add parameter')}
      </Button>
    </form>
  )
}
