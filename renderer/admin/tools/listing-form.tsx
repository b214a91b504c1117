// The form of a tool's listing: name, title, description, argument descriptions, hints.
import { z } from 'zod'
import { OverridesPatch, type ToolDetail } from '#contract'
import { t } from '../../language/language.ts'
import { type FieldTable, type FieldWords, type Form, fieldsOf } from '../../ui/form/fields.ts'
import type { FormPart } from '../../ui/form/PageForm.tsx'
import { ArgumentTexts, textsIn } from './ArgumentTexts.tsx'
import { HINT_WORDS, HINTS } from './hint-words.ts'
import { overridesOf } from './tool-arguments.ts'

const Listing = z.strictObject({ overrides: OverridesPatch, listOutputSchema: z.boolean().nullable().optional() })

const hintPaths = HINTS.map((hint) => `overrides.annotations.${hint}`)
const hintFields: FieldTable = Object.fromEntries(
  HINTS.map((hint): [string, FieldWords] => {
    const { title, yes, no } = HINT_WORDS[hint]
    const options = { '': t('Gateway default'), true: yes, false: no }
    return [`overrides.annotations.${hint}`, { label: title, options, half: true }]
  }),
)

export function listingForm(tool: ToolDetail): Form<Readonly<Record<string, unknown>>> {
  const table: FieldTable = {
    'overrides.displayName': {
      label: t('Name'),
      code: true,
      placeholder: tool.tool,
      hint: t('Replaces the name in lists. The old name stays callable.'),
      half: true,
    },
    'overrides.title': {
      label: t('Title'),
      placeholder: overridesOf(tool).title ? '' : tool.title,
      hint: t('Shown to people by clients.'),
      half: true,
    },
    'overrides.description': {
      label: t('Description'),
      hint: t('Models use it to decide when to call the tool.'),
      long: true,
      rows: 4,
      placeholder: tool.upstreamDescription,
    },
    'overrides.params': {
      label: t('Argument descriptions'),
      draw: (control) => <ArgumentTexts {...control} tool={tool} />,
      write: (value) => {
        const texts = Object.entries(textsIn(value)).filter(([, { description }]) => description)
        return texts.length === 0 ? undefined : Object.fromEntries(texts)
      },
    },
    ...hintFields,
    // MCP tools declare their own; other sources declare none.
    ...(tool.kind === 'rest' &&
      tool.outputSchema !== null && {
        listOutputSchema: { label: t('List the output schema'), write: (listed) => listed || null },
      }),
  }
  return { schema: Listing, fields: fieldsOf(Listing, table).filter(({ path }) => path in table), carried: [] }
}

export const listingOf = (tool: Pick<ToolDetail, 'overrides' | 'config'>) => ({
  overrides: overridesOf(tool),
  listOutputSchema: tool.config.listOutputSchema === true,
})

export const listingParts = ({ sensitive, requiresApproval }: ToolDetail): readonly FormPart[] => [
  { paths: ['overrides.displayName', 'overrides.title', 'overrides.description'] },
  { title: t('Argument descriptions'), paths: ['overrides.params'] },
  {
    title: t('Hints'),
    about:
      sensitive || requiresApproval
        ? t(
            'Clients read in them what a call does; many ask a person before a call that writes. Sensitive tools and tools with approval are always listed as writing and destructive.',
          )
        : t('Clients read in them what a call does; many ask a person before a call that writes.'),
    paths: hintPaths,
  },
  {
    title: t('Output schema'),
    about: t(
      'Clients reject results that do not match it. It is not listed while a feature of the tool changes its results.',
    ),
    paths: ['listOutputSchema'],
  },
]
