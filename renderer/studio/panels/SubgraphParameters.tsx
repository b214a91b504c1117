// The parameters of an embedded graph: typed values that replace its own for this node.
import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import type { Output } from '#pcg-catalog'
import { t } from '../../language/language.ts'
import { IconButton } from '../../ui/Button.tsx'
import { parametersQuery } from '../editor/queries.ts'
import { nameOf } from '../model/edits.ts'
import { overridden, parameterRows } from '../model/parameters.ts'
import type { Values } from '../model/properties.ts'
import { type Driven, PropertyRows } from './PropertyRows.tsx'

type Parameters = Output<'get_pcg_graph_parameters'>['parameters']
const NONE: Parameters = []
export function SubgraphParameters({
  editor,
  path,
  overrides,
  driven,
  onChange,
  onPreview,
}: {
  readonly editor: string
  readonly path: string
  readonly overrides: Values
  readonly driven: Driven
  /** All values are one setting of the node: a change is made to those that the editor has when its turn comes. */
  readonly onChange: (change: (now: Values) => Values, label: string) => Promise<unknown>
  readonly onPreview: (overrides: Values) => void
}) {
  const { data } = useQuery(parametersQuery(editor, path))
  const parameters = data?.parameters ?? NONE
  const rows = parameterRows(parameters, overrides)
  const known = new Set(parameters.map(({ name }) => name.toLowerCase()))
  const unknown = data ? Object.keys(overrides).filter((name) => !known.has(name.toLowerCase())) : []
  const title = t('Parameters of {name}', { name: nameOf(path) })
  if (data && rows.length + unknown.length === 0)
    return <p className="py-1 text-xs text-ink-3">{t('{name} has no parameters.', { name: nameOf(path) })}</p>
  return (
    <section aria-label={title}>
      <h3 className="eyebrow pt-2 pb-0.5">{title}</h3>
      <PropertyRows
        rows={rows}
        driven={driven}
        onSet={(row, value) => onChange((now) => overridden(now, row, value), row.label)}
        onPreview={(row, value) => onPreview(overridden(overrides, row, value))}
      />
      {unknown.map((name) => (
        <p key={name} className="flex items-center gap-2 py-1 text-xs text-warn">
          <span className="min-w-0 grow truncate">
            {t('“{name}” is set here, but the graph has no such parameter.', { name })}
          </span>
          <IconButton
            label={t('Remove the value of {name}', { name })}
            size="sm"
            onClick={() =>
              void onChange((now) => Object.fromEntries(Object.entries(now).filter(([key]) => key !== name)), name)
            }
          >
            <X />
          </IconButton>
        </p>
      ))}
    </section>
  )
}
