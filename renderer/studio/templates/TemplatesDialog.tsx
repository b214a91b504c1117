// The library: graphs to insert into the open one, with a preview, their parameters and what they need.
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { PREVIEWS, TEMPLATES, type Template, templateGraph, templateSteps } from '#pcg-library'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { notifyError } from '../../ui/notify.ts'
import { SearchInput } from '../../ui/SearchInput.tsx'
import { Select } from '../../ui/Select.tsx'
import { useBench } from '../canvas/bench.ts'
import { choosing } from '../canvas/chosen.ts'
import { parametersQuery } from '../editor/queries.ts'
import { NEED_WORDS, TAG_WORDS, TEMPLATE_WORDS } from './words.ts'

const ALL = { value: '', label: t('All tags') }
const TAGS = [...new Set(TEMPLATES.flatMap(({ tags }) => tags))]
  .map((value) => ({ value, label: TAG_WORDS[value] ?? value }))
  .toSorted((a, b) => a.label.localeCompare(b.label))
const wordsOf = ({ id, title, about }: Template) => TEMPLATE_WORDS[id] ?? { title, about }

function matches(template: Template, query: string, tag: string): boolean {
  const { title, about } = wordsOf(template)
  const text = [title, about, template.id, ...template.tags.map((one) => TAG_WORDS[one] ?? one)].join(' ').toLowerCase()
  const words = query.toLowerCase().split(/\s+/)
  return (tag === '' || template.tags.includes(tag)) && words.every((word) => text.includes(word))
}

export function TemplatesDialog({ onClose }: { readonly onClose: () => void }) {
  const [query, setQuery] = useState('')
  const [tag, setTag] = useState('')
  const found = TEMPLATES.filter((template) => matches(template, query, tag))
  return (
    <Dialog
      open
      onClose={onClose}
      width="max-w-4xl"
      title={t('Templates')}
      about={t('Each is inserted into this graph as one step, which can be undone.')}
    >
      <div className="flex flex-wrap items-end gap-3">
        <SearchInput label={t('Search templates')} placeholder={t('Search')} value={query} onChange={setQuery} />
        <Select label={t('Tag')} value={tag} options={[ALL, ...TAGS]} onChange={setTag} />
      </div>
      <ul aria-label={t('Templates')} className="mt-4 grid grid-cols-2 gap-3 max-md:grid-cols-1">
        {found.map((template) => (
          <Card key={template.id} template={template} onClose={onClose} />
        ))}
      </ul>
      {found.length === 0 && <p className="text-sm text-ink-2">{t('No template matches.')}</p>}
    </Dialog>
  )
}

const DOTS = ['var(--g-ok-solid)', 'var(--g-warn-solid)', 'var(--g-info-solid)', 'var(--g-bad-solid)']

function Preview({ template }: { readonly template: Template }) {
  const label = t('{title} from above', { title: wordsOf(template).title })
  return (
    <svg viewBox="-4 -4 128 128" role="img" aria-label={label} className="size-28 shrink-0 rounded-md bg-sunken">
      {PREVIEWS[template.id].map((path, at) => (
        <path key={path} d={path} stroke={DOTS[at % DOTS.length]} strokeWidth={3} strokeLinecap="round" fill="none" />
      ))}
    </svg>
  )
}

function Card({ template, onClose }: { readonly template: Template; readonly onClose: () => void }) {
  const bench = useBench()
  const known = useQuery(parametersQuery(bench.editor, bench.view.path))
  const { title, about } = wordsOf(template)
  const { parameters, nodes } = templateGraph(template)
  const insert = useMutation({
    mutationFn: async () => {
      const choose = choosing()
      let made: readonly string[] = []
      const done = await bench.perform(({ view }) => ({
        label: t('Insert {title}', { title }),
        async edit(_call, patch) {
          const { y } = bench.flow.screenToFlowPosition(bench.pointer())
          const steps = templateSteps(template, {
            nodes: [...view.nodes.keys()],
            parameters: known.data?.parameters.map(({ name }) => name) ?? [],
            at: { x: right(bench.nodes.map(({ position }) => position.x)), y: Math.round(y) },
          })
          const { names } = await patch(steps)
          made = Object.values(names)
          return undefined
        },
      }))
      if (done) choose(made, [])
      onClose()
    },
    onError: notifyError,
  })
  return (
    <li className="flex gap-3 rounded-md border border-line p-3">
      <Preview template={template} />
      <div className="flex min-w-0 grow flex-col gap-1 text-sm">
        <h3 className="font-medium">{title}</h3>
        <p className="text-xs text-ink-2">{about}</p>
        {template.needs.map((need) => (
          <p key={need} className="text-xs text-ink-3">
            {t('Needs: {need}', { need: NEED_WORDS[need] ?? need })}
          </p>
        ))}
        <p className="text-xs text-ink-3">
          {t('{nodes} nodes, parameters: {parameters}', {
            nodes: nodes.size,
            parameters: [...parameters].map(([name, { type }]) => `${name} (${type})`).join(', '),
          })}
        </p>
        <div className="mt-auto flex flex-wrap items-center gap-1 pt-1">
          {template.tags.map((tag) => (
            <Badge key={tag}>{TAG_WORDS[tag] ?? tag}</Badge>
          ))}
          <Button
            size="sm"
            className="ml-auto"
            aria-label={t('Insert {title}', { title })}
            busy={insert.isPending}
            disabled={known.isPending}
            onClick={() => insert.mutate()}
          >
            {t('Insert')}
          </Button>
        </div>
      </div>
    </li>
  )
}

/** Beside what is there. */
const right = (xs: readonly number[]): number => (xs.length === 0 ? 0 : Math.round(Math.max(...xs)) + 320)
