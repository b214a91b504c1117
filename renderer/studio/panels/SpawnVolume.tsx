// Spawns a volume, and shows from the editor's answer whether it can generate.

import { type ReactNode, useState } from 'react'
import type { Output } from '#pcg-catalog'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Field } from '../../ui/Field.tsx'
import { submitting } from '../../ui/submitting.ts'
import { useGestures } from '../use-gestures.ts'
import { VectorInput } from './controls/VectorInput.tsx'

type Spawned = Output<'spawn_pcg_volume'>
const HALF_SIZE = [1000, 1000, 500] as const

export function SpawnVolume({
  graph,
  drawn,
  onSpawned,
}: {
  readonly graph: string | null
  /** Bounds that were drawn on the plan. */
  readonly drawn?: { readonly location: readonly number[]; readonly extent: readonly number[] } | null
  readonly onSpawned: (actor: string) => void
}) {
  const { perform } = useGestures()
  const [name, setName] = useState('')
  const [location, setLocation] = useState<readonly number[]>(drawn?.location ?? [0, 0, 0])
  const [extent, setExtent] = useState<readonly number[]>(drawn?.extent ?? HALF_SIZE)
  const [rotation, setRotation] = useState<readonly number[]>([0, 0, 0])
  const [assign, setAssign] = useState(true)
  const [spawned, setSpawned] = useState<Spawned | null>(null)
  const [busy, setBusy] = useState(false)
  const flat = extent.some((size) => size <= 0)
  async function spawn(): Promise<void> {
    setBusy(true)
    await perform({
      label: `Spawn the volume ${name}`.trim(),
      async edit(call) {
        const answer = await call('spawn_pcg_volume', {
          location: [...location],
          rotation: [...rotation],
          extent: [...extent],
          ...(name.trim() === '' ? {} : { name: name.trim() }),
          ...(graph !== null && assign ? { pcg_graph_path: graph } : {}),
        })
        setSpawned(answer)
        onSpawned(answer.actor_name)
        return undefined
      },
    })
    setBusy(false)
  }
  const held = (set: (next: readonly number[]) => void) => (next: readonly number[]) => Promise.resolve(set(next))
  return (
    <form
      aria-label={t('New volume')}
      className="flex flex-col gap-2 rounded-md border border-line p-2"
      onSubmit={submitting(() => !flat && spawn())}
    >
      <Field
        label={t('Name')}
        placeholder={t('optional')}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <Labelled text={t('Location, cm')}>
        <VectorInput label={t('Location')} value={location} onCommit={held(setLocation)} />
      </Labelled>
      <Labelled text={t('Half size, cm')}>
        <VectorInput label={t('Half size')} value={extent} min={0} onCommit={held(setExtent)} />
      </Labelled>
      <Labelled text={t('Rotation: pitch, yaw, roll')}>
        <VectorInput label={t('Rotation')} value={rotation} onCommit={held(setRotation)} />
      </Labelled>
      {flat && (
        <p role="alert" className="text-xs text-bad">
          {t('Each half size must be greater than 0: a volume without extent generates nothing, without an error.')}
        </p>
      )}
      {graph !== null && <Checkbox label={t('Use the open graph')} checked={assign} onChange={setAssign} />}
      <Button type="submit" look="strong" size="sm" busy={busy} disabled={flat}>
        {t('Spawn volume')}
      </Button>
      {spawned && <SpawnReport spawned={spawned} />}
    </form>
  )
}

function Labelled({ text, children }: { readonly text: string; readonly children: ReactNode }) {
  return (
    <div className="flex flex-col gap-1">
      <span className="text-xs font-medium text-ink-2">{text}</span>
      {children}
    </div>
  )
}

/** The actual volume, not the requested one. */
function SpawnReport({ spawned }: { readonly spawned: Spawned }) {
  const { actor_label, bounds_extent_actual, has_brush_geometry, scale_normalized, warning } = spawned
  const flat = bounds_extent_actual.some((size) => size <= 0)
  const warnings = [
    warning,
    !has_brush_geometry && !warning ? 'The volume has no brush: it generates nothing.' : undefined,
    flat && has_brush_geometry ? 'The volume has no extent: it generates nothing.' : undefined,
    scale_normalized ? undefined : 'The size is in the scale of the actor, not in its brush.',
  ].filter((each) => each !== undefined)
  return (
    <div role="status" className="text-xs text-ink-2">
      <p>
        {t('{actor_label} was placed. Half size {value} cm.', {
          actor_label,
          value: bounds_extent_actual.map((size) => Math.round(size)).join(' × '),
        })}
      </p>
      {warnings.map((each) => (
        <p key={each} className="text-warn">
          {each}
        </p>
      ))}
    </div>
  )
}
