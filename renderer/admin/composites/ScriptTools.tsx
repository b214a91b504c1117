// The tools that a script may call: an approval covers this list.
import { Trash2 } from 'lucide-react'
import { findTools } from '../../api/find.ts'
import { t } from '../../language/language.ts'
import { IconButton } from '../../ui/Button.tsx'
import { Finder } from '../../ui/Finder.tsx'
import { addedTo, type StepDraft } from './draft.ts'
import { optionOf, splitTool } from './StepCard.tsx'

const MOST_TOOLS = 20

export function ScriptTools({
  steps,
  readOnly,
  problem,
  onChange,
}: {
  readonly steps: readonly StepDraft[]
  readonly readOnly: boolean
  readonly problem: string | undefined
  readonly onChange: (steps: readonly StepDraft[]) => void
}) {
  const named = new Map(steps.filter(({ tool }) => tool !== '').map((step) => [optionOf(step).value, step]))
  return (
    <section aria-label={t('Tools of the script')} className="card flex flex-col gap-3 px-5 py-4">
      <h2 className="eyebrow">{t('Tools of the script')}</h2>
      {named.size === 0 && <p className="text-sm text-ink-3">{t('It can call no tool yet.')}</p>}
      <ul className="flex flex-col gap-1">
        {[...named].map(([name, step]) => (
          <li key={name} className="flex min-w-0 items-center gap-2">
            <code className="min-w-0 grow truncate font-mono text-xs" title={name}>
              {name}
            </code>
            {!readOnly && (
              <IconButton
                label={t('Remove {name}', { name })}
                onClick={() => onChange(steps.filter((each) => each.client !== step.client || each.tool !== step.tool))}
              >
                <Trash2 />
              </IconButton>
            )}
          </li>
        ))}
      </ul>
      {!readOnly && named.size < MOST_TOOLS && (
        <Finder
          label={t('Add tool')}
          value={null}
          placeholder={t('Choose the tool to call')}
          none={t('No tools yet.')}
          queryKey={['tools']}
          find={async (q) => {
            const { items, more } = await findTools(q)
            const there = items.filter((row) => !row.missing && !named.has(optionOf(row).value))
            return { more, items: there.map((row) => ({ ...optionOf(row), about: row.description.slice(0, 120) })) }
          }}
          error={problem}
          onPick={({ value }) => onChange([...named.values(), { ...addedTo(steps), ...splitTool(value) }])}
        />
      )}
    </section>
  )
}
