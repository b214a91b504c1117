// A text for each argument of a tool, also for one that the source has dropped and that still has a text here.

import { z } from 'zod'
import type { ToolDetail } from '#contract'
import { t } from '../../language/language.ts'
import { TextArea } from '../../ui/Field.tsx'
import type { Control } from '../../ui/form/fields.ts'
import { argumentsOf } from './tool-arguments.ts'

/** Without limits: the form reports texts that are too long. */
const Texts = z.record(z.string(), z.object({ description: z.string().optional() })).catch({})
export const textsIn = (value: unknown) => Texts.parse(value)

export function ArgumentTexts({
  tool,
  value,
  problemIn,
  onChange,
}: Pick<Control, 'value' | 'problemIn' | 'onChange'> & { readonly tool: ToolDetail }) {
  const own = new Map(argumentsOf(tool).map((argument) => [argument.name, argument]))
  const texts = textsIn(value)
  const names = [...new Set([...own.keys(), ...Object.keys(texts)])]
  if (names.length === 0) return <p className="text-sm text-ink-2">{t('It takes no arguments.')}</p>
  return (
    <ul className="-my-3 divide-y divide-line">
      {names.map((name) => {
        const argument = own.get(name)
        return (
          <li key={name} className="grid grid-cols-[14rem_1fr] gap-4 py-3">
            <span className="min-w-0 pt-1.5">
              <code className="font-mono text-xs font-medium break-all">{name}</code>
              <span className="mt-0.5 block text-xs text-ink-3">
                {argument ? argument.type : t('No longer in the source. The text stays until you clear it.')}
              </span>
            </span>
            <TextArea
              label={t('Description of {name}', { name })}
              hideLabel
              rows={2}
              className="min-h-0!"
              value={texts[name]?.description ?? ''}
              placeholder={argument?.description || t('none')}
              onChange={(event) => onChange({ ...texts, [name]: { description: event.target.value } })}
              error={problemIn(`${name}.description`)}
            />
          </li>
        )
      })}
    </ul>
  )
}
