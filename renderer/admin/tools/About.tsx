// A tool as models see it: description, arguments, hints and lint findings.
import { CircleAlert, Info } from 'lucide-react'
import type { ToolDetail } from '#contract'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/Badge.tsx'
import { cx } from '../../ui/cx.ts'
import { Facts } from '../../ui/Facts.tsx'
import { formatCount, formatMoment } from '../../ui/format.ts'
import { JsonView } from '../../ui/JsonView.tsx'
import { HINT_WORDS, HINTS } from './hint-words.ts'
import { argumentsOf } from './tool-arguments.ts'
import { type Finding, tokensOf } from './tool-lint.ts'

export function About({ tool, findings }: { readonly tool: ToolDetail; readonly findings: readonly Finding[] }) {
  return (
    <div className="grid max-w-6xl gap-4 px-6 py-5 xl:grid-cols-[1fr_22rem]">
      <div className="flex min-w-0 flex-col gap-4">
        <section aria-label={t('Description')} className="card px-5 py-4">
          <h2 className="mb-1 text-sm font-semibold">{t('Description')}</h2>
          <p className="text-sm whitespace-pre-wrap text-ink-2">{tool.description || t('None.')}</p>
        </section>
        <Arguments tool={tool} />
        <details className="card px-5 py-3">
          <summary className="rounded text-sm font-medium">{t('The schema as JSON')}</summary>
          <div className="mt-3">
            <JsonView value={tool.inputSchema} label={t('input schema')} />
          </div>
        </details>
      </div>
      <div className="flex flex-col gap-4">
        <Facts
          title={t('At a glance')}
          facts={[
            { name: t('Listed as'), value: <code className="font-mono text-xs break-all">{tool.listedName}</code> },
            {
              name: t('Name at the source'),
              value: <code className="font-mono text-xs break-all">{tool.sourceName}</code>,
            },
            { name: t('Tokens to list it'), value: formatCount(tokensOf(tool)) },
            { name: t('Hints'), value: <Hints annotations={tool.annotations} /> },
            { name: t('Last changed'), value: formatMoment(tool.updatedAt) },
          ]}
        />
        <Findings findings={findings} />
      </div>
    </div>
  )
}

function Arguments({ tool }: { readonly tool: ToolDetail }) {
  const all = argumentsOf(tool)
  return (
    <section aria-label={t('Arguments')} className="card">
      <h2 className="border-b border-line px-5 py-2.5 text-sm font-semibold">{t('Arguments')}</h2>
      {all.length === 0 && <p className="px-5 py-3 text-sm text-ink-2">{t('No arguments.')}</p>}
      <ul className="divide-y divide-line">
        {all.map(({ name, type, place, required, description }) => (
          <li key={name} className="grid grid-cols-[14rem_1fr] gap-4 px-5 py-2.5 text-sm">
            <span className="min-w-0">
              <code className="font-mono text-xs font-medium break-all">{name}</code>
              {required && <span className="ml-1.5 text-2xs text-bad">{t('required')}</span>}
              <span className="mt-0.5 block text-xs text-ink-3">
                {type}
                {place && ` · ${place}`}
              </span>
            </span>
            <span className="text-xs text-ink-2">{description}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Hints({ annotations }: Pick<ToolDetail, 'annotations'>) {
  return (
    <span className="flex flex-wrap gap-1">
      {HINTS.map((hint) => {
        const message = annotations[hint]
        return message === undefined ? null : (
          <Badge key={hint} tone="outline">
            {HINT_WORDS[hint][message ? 'yes' : 'no']}
          </Badge>
        )
      })}
    </span>
  )
}

function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  if (findings.length === 0) return <p className="px-1 text-xs text-ink-3">{t('No issues found.')}</p>
  return (
    <section aria-label={t('For clients and models')} className="card px-5 py-4">
      <h2 className="mb-2 text-sm font-semibold">{t('For clients and models')}</h2>
      <ul className="flex flex-col gap-2 text-xs text-ink-2">
        {findings.map(({ severity, text }) => (
          <li key={text} className={cx('flex gap-2 [&_svg]:mt-0.5 [&_svg]:size-3.5 [&_svg]:shrink-0')}>
            {severity === 'warn' ? (
              <CircleAlert aria-label={t('Warning')} className="text-warn" />
            ) : (
              <Info aria-label={t('Note')} className="text-ink-3" />
            )}
            {text}
          </li>
        ))}
      </ul>
    </section>
  )
}
