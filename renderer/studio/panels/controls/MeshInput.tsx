// The meshes of a spawner: one row for each, with its weight.
import { Plus, X } from 'lucide-react'
import { t } from '../../../language/language.ts'
import { rich } from '../../../language/rich.tsx'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { type MeshRow, meshRows, withMeshRows } from '../../model/mesh-entries.ts'
import { NumberInput } from './NumberInput.tsx'
import { MESHES, useSuggested } from './suggestions.ts'
import { TextInput } from './TextInput.tsx'
import { type Commit, useHeld } from './use-held.ts'

export function MeshInput({
  label,
  value,
  onCommit,
}: {
  readonly label: string
  readonly value: unknown
  readonly onCommit: Commit<unknown>
}) {
  const { shown, commit } = useHeld(value, onCommit)
  const meshes = useSuggested(MESHES)
  const rows = meshRows(shown)
  const places = rows.map((_row, at) => at)
  const put = (at: number, row: MeshRow) => commit(withMeshRows(shown, rows.with(at, row), places))
  const total = rows.reduce((sum, { weight }) => sum + weight, 0)
  return (
    <div role="group" aria-label={label} className="flex flex-col gap-1">
      {rows.map((row, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- two rows may be equal
        <div key={at} className="flex items-center gap-1">
          <TextInput
            label={t('Mesh {at}', { at: at + 1 })}
            value={row.mesh}
            placeholder={t('Path of a static mesh')}
            suggestions={meshes}
            onCommit={(mesh) => put(at, { ...row, mesh })}
          />
          <NumberInput
            label={t('Weight {at}', { at: at + 1 })}
            className="w-16! shrink-0"
            value={row.weight}
            whole
            min={0}
            onCommit={(weight) => put(at, { ...row, weight })}
          />
          <span className="w-9 shrink-0 text-right text-2xs text-ink-3 tabular-nums">
            {total > 0 ? `${Math.round((row.weight / total) * 100)} %` : ''}
          </span>
          <IconButton
            label={t('Remove mesh {at}', { at: at + 1 })}
            size="sm"
            onClick={() => void commit(withMeshRows(shown, rows.toSpliced(at, 1), places.toSpliced(at, 1)))}
          >
            <X />
          </IconButton>
        </div>
      ))}
      <Button
        size="sm"
        look="quiet"
        className="self-start"
        onClick={() => void commit(withMeshRows(shown, [...rows, { mesh: '', weight: 1 }], [...places, -1]))}
      >
        {rich('{plus} Add a mesh', { plus: <Plus /> })}
      </Button>
    </div>
  )
}
