// The changes of a re-discovery: added, removed and changed tools, with breaking changes.
import { Minus, Pencil, Plus } from 'lucide-react'
import type { ToolDiff } from '#contract'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/Badge.tsx'

export function Diff({ diff }: { readonly diff: ToolDiff }) {
  const { added, removed, changed, unchanged } = diff
  if (added.length + removed.length + changed.length === 0)
    return (
      <p className="text-sm text-ink-2">
        {t('Nothing changed: all {unchanged} tools are as they were.', { unchanged })}
      </p>
    )
  return (
    <div className="flex flex-col gap-3">
      <ul
        aria-label={t('Changes')}
        className="max-h-80 divide-y divide-line overflow-y-auto rounded-md border border-line"
      >
        {added.map((name) => (
          <Line key={name} name={name} icon={<Plus className="text-ok" />} word={t('added')} />
        ))}
        {removed.map((name) => (
          <Line key={name} name={name} icon={<Minus className="text-bad" />} word={t('removed')} />
        ))}
        {changed.map(({ name, fields, breaking }) => (
          <Line
            key={name}
            name={name}
            icon={<Pencil className="text-warn" />}
            word={fields.map((field) => FIELD_NAMES[field]).join(', ')}
            breaking={breaking}
          />
        ))}
      </ul>
      <p className="text-xs text-ink-3">
        {t(
          '{unchanged} unchanged. Guards, aliases and switches of tools that stay are kept; removed ones are kept as missing.',
          { unchanged },
        )}
      </p>
    </div>
  )
}

const FIELD_NAMES: Readonly<Record<ToolDiff['changed'][number]['fields'][number], string>> = {
  description: t('description'),
  inputSchema: 'arguments',
  method: 'method',
  endpoint: 'path',
  annotations: 'hints',
}

function Line({
  name,
  icon,
  word,
  breaking = false,
}: {
  readonly name: string
  readonly icon: React.ReactNode
  readonly word: string
  readonly breaking?: boolean
}) {
  return (
    <li className="flex items-center gap-2.5 px-3 py-1.5 text-sm [&_svg]:size-3.5 [&_svg]:shrink-0">
      {icon}
      <code className="min-w-0 grow truncate font-mono text-xs">{name}</code>
      {breaking && <Badge tone="bad">{t('breaking')}</Badge>}
      <span className="text-xs text-ink-3">{word}</span>
    </li>
  )
}
