// The component of an actor: its graph and its settings, each saved separately.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { NodeProperty, Output } from '#pcg-catalog'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { Select } from '../../ui/Select.tsx'
import { graphsQuery } from '../editor/queries.ts'
import { rowsFor, type Values } from '../model/properties.ts'
import { useGestures } from '../use-gestures.ts'
import { PropertyRows } from './PropertyRows.tsx'

type Info = Output<'get_pcg_component_info'>
const NONE = '(none)'
const TRIGGERS = ['GenerateOnLoad', 'GenerateOnDemand', 'GenerateAtRuntime']
const SETTINGS: Readonly<Record<string, NodeProperty>> = {
  Seed: { kind: 'int', default: 42 },
  bActivated: { kind: 'bool', default: true },
  bIsComponentPartitioned: { kind: 'bool', default: false },
  GenerationTrigger: { kind: 'choice', default: 'GenerateOnLoad', values: TRIGGERS },
}

export function ComponentForm({
  editor,
  graph,
  info,
}: {
  readonly editor: string
  readonly graph: string | null
  readonly info: Info
}) {
  const graphs = useQuery(graphsQuery(editor))
  const { kept, set } = useComponentEdit(info.actor_name)
  const paths = (graphs.data?.graphs ?? []).map(({ asset_path }) => asset_path)
  const now = info.graph_path ?? NONE
  const values: Values = {
    Seed: info.seed,
    bActivated: info.activated,
    bIsComponentPartitioned: info.is_partitioned,
    ...(info.generation_trigger === null ? {} : { GenerationTrigger: info.generation_trigger }),
  }
  return (
    <>
      <Select
        label={t('Graph')}
        value={now}
        options={[...new Set([NONE, now, ...paths])].map((path) => ({
          value: path,
          label: path.slice(path.lastIndexOf('/') + 1),
          about: path,
        }))}
        onChange={(path) => void set({ Graph: path === NONE ? null : path })}
      />
      {info.graph_path === null && (
        <p role="status" className="rounded-md bg-warn-soft px-2 py-1.5 text-xs text-warn">
          {t('The component has no graph: it generates nothing.')}
        </p>
      )}
      {graph !== null && info.graph_path !== graph && (
        <Button size="sm" className="self-start" onClick={() => void set({ Graph: graph })}>
          {t('Use the open graph')}
        </Button>
      )}
      <PropertyRows rows={rowsFor(SETTINGS, [values])} kept={kept} onSet={(row, value) => set({ [row.path]: value })} />
    </>
  )
}

function useComponentEdit(actor: string) {
  const { perform } = useGestures()
  const [kept, setKept] = useState<ReadonlyMap<string, string>>(new Map())
  async function set(properties: Values): Promise<boolean> {
    const notes = new Map<string, string>()
    const done = await perform({
      label: t('Set {value} of {actor}', { value: Object.keys(properties).join(', '), actor }),
      async edit(call) {
        const { failed, applied } = await call('set_pcg_component_properties', { actor_name: actor, properties })
        for (const { name, error } of failed) notes.set(name, error)
        for (const [name, stored] of Object.entries(applied))
          if (name !== 'Graph' && stored.toLowerCase() !== String(properties[name]).toLowerCase())
            notes.set(name, t('Kept as {stored}', { stored: stored.slice(0, 60) }))
        const [refused] = failed
        if (refused?.name === 'Graph') throw new Error(refused.error)
        return undefined
      },
    })
    setKept(notes)
    return done
  }
  return { kept, set }
}
