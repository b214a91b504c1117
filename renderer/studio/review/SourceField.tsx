// Chooses what to compare or merge: a version, a file, or the graph as it is.
import { FileUp } from 'lucide-react'
import { useRef } from 'react'
import type { PcgSnapshot } from '#contract'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { formatMoment } from '../../ui/format.ts'
import { notifyError } from '../../ui/notify.ts'
import { Select } from '../../ui/Select.tsx'
import { fileSource, NOW, type Source } from './sources.ts'

export const nameOfVersion = ({ label, createdAt }: PcgSnapshot): string =>
  `${label ?? t('Version')}, ${formatMoment(createdAt)}`
export function nameOfSource(source: Source | null, versions: readonly PcgSnapshot[]): string {
  if (source === null) return t('Nothing chosen')
  if (source.kind === 'now') return t('This graph')
  if (source.kind === 'file') return source.name
  const version = versions.find(({ id }) => id === source.id)
  return version ? nameOfVersion(version) : t('Version')
}

type Props = {
  readonly label: string
  readonly source: Source | null
  readonly versions: readonly PcgSnapshot[]
  /** Whether the graph as it is can be chosen. */
  readonly now?: boolean
  readonly onChange: (source: Source) => void
}

export function SourceField({ label, source, versions, now = false, onChange }: Props) {
  const input = useRef<HTMLInputElement>(null)
  const value = source === null ? '' : source.kind === 'version' ? String(source.id) : source.kind
  async function read(file: File | undefined): Promise<void> {
    if (!file) return
    try {
      onChange(await fileSource(file))
    } catch (error) {
      notifyError(error)
    }
  }
  return (
    <div className="flex min-w-0 items-end gap-1">
      <Select
        label={label}
        className="min-w-0 grow"
        value={value}
        options={[
          ...(source === null ? [{ value: '', label: t('Choose…') }] : []),
          ...(now ? [{ value: 'now', label: t('This graph') }] : []),
          ...(source?.kind === 'file' ? [{ value: 'file', label: source.name }] : []),
          ...versions.map((version) => ({ value: String(version.id), label: nameOfVersion(version) })),
        ]}
        onChange={(next) => {
          if (next === 'now') onChange(NOW)
          else if (next !== '' && next !== 'file') onChange({ kind: 'version', id: Number(next) })
        }}
      />
      <Button
        title={t('A text form (*.pcg.yaml) or a file of the built-in editor (*.pcg.json)')}
        onClick={() => input.current?.click()}
      >
        <FileUp /> {t('File…')}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={t('{field}: file', { field: label })}
        accept=".yaml,.yml,.json"
        onChange={({ currentTarget }) => {
          void read(currentTarget.files?.[0])
          currentTarget.value = ''
        }}
      />
    </div>
  )
}
