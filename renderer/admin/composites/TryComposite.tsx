// Runs the saved composite, or checks its templates only.

import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { CompositeDetail, CompositeTest } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { Badge, type Tone } from '../../ui/Badge.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { TextArea } from '../../ui/Field.tsx'
import { SchemaForm } from '../../ui/form/SchemaForm.tsx'
import { isRecord } from '../../ui/form/shape.ts'
import { formatSpan } from '../../ui/format.ts'
import { JsonView } from '../../ui/JsonView.tsx'
import { wireWord } from '../../ui/wire-words.ts'
import { sampleOf } from '../tools/run/sample.ts'
import { TryPanes } from '../tools/run/TryPanes.tsx'
import { jsonIn } from './draft.ts'

export function TryComposite({
  composite,
  unsaved,
}: {
  readonly composite: CompositeDetail
  readonly unsaved: boolean
}) {
  const [args, setArgs] = useState<Readonly<Record<string, unknown>>>(() => sampleOf(composite.inputSchema))
  const [dryRun, setDryRun] = useState(true)
  const [mocks, setMocks] = useState('{}')
  const isScript = composite.script !== null
  const given = mocksIn(mocks)
  const run = useMutation({
    mutationFn: () =>
      api.composites.test({
        params: { name: composite.name },
        body: { args: { ...args }, dryRun, ...(isScript && dryRun && { mocks: given ?? {} }) },
      }),
  })
  return (
    <TryPanes
      submit={dryRun ? (isScript ? t('Run without calls') : t('Check templates')) : t('Run it')}
      busy={run.isPending}
      error={run.error}
      onSubmit={run.mutate}
      answer={run.data && <Result test={run.data} />}
      awaited={{
        title: t('Steps appear here'),
        about: t('With their arguments, outcome and result.'),
      }}
    >
      {unsaved && (
        <p role="note" className="rounded-md bg-warn-soft px-3 py-2 text-sm">
          {t('You have unsaved changes. This runs the saved version.')}
        </p>
      )}
      <SchemaForm
        schema={composite.inputSchema}
        value={args}
        onChange={(next) => setArgs(isRecord(next) ? next : {})}
      />
      <Checkbox
        label={
          isScript
            ? t('Answer its calls from mocks and captured calls')
            : t('Check the templates without calling tools')
        }
        checked={dryRun}
        onChange={setDryRun}
      />
      {isScript && dryRun && (
        <TextArea
          label={t('Mocks')}
          value={mocks}
          error={given === undefined && t('This is not JSON yet')}
          hint={t('JSON: for each tool, the list of its results in the order of its calls.')}
          onChange={(event) => setMocks(event.target.value)}
        />
      )}
    </TryPanes>
  )
}

type Ran = CompositeTest['steps'][number]

const TONES: Readonly<Record<Ran['outcome'], Tone>> = {
  success: 'ok',
  error: 'bad',
  refused: 'warn',
  cancelled: 'neutral',
  skipped: 'neutral',
}

/** Undefined while the text is not an object. */
function mocksIn(text: string): Readonly<Record<string, never[]>> | undefined {
  const found = jsonIn(text)?.value
  return isRecord(found) ? (found as Record<string, never[]>) : undefined // the gateway checks the values
}

function Result({ test: { result, steps, logs } }: { readonly test: CompositeTest }) {
  return (
    <div className="flex flex-col gap-5 px-6 py-5">
      <ol aria-label={t('Steps that ran')} className="flex flex-col gap-3">
        {steps.map(({ index, client, tool, args, outcome, durationMs, text }) => (
          <li key={index} className="card min-w-0 px-4 py-3">
            <p className="flex min-w-0 flex-wrap items-center gap-2 text-sm">
              <span className="text-ink-3">{index + 1}</span>
              <code className="truncate font-mono text-xs font-medium">
                {client}__{tool}
              </code>
              <Badge tone={TONES[outcome]} dot>
                {wireWord(outcome)}
              </Badge>
              <span className="text-xs text-ink-3">{formatSpan(durationMs)}</span>
            </p>
            <div className="mt-2 flex flex-col gap-2">
              <JsonView value={args} label={t('arguments of step {index}', { index: index + 1 })} />
              {text && (
                <pre
                  aria-label={t('Result of step {index}', { index: index + 1 })}
                  className="max-h-48 overflow-auto rounded-md border border-line bg-sunken px-3 py-2 font-mono text-xs leading-5 break-words whitespace-pre-wrap"
                >
                  {text}
                </pre>
              )}
            </div>
          </li>
        ))}
      </ol>
      {logs.length > 0 && (
        <section aria-label={t('Printed')}>
          <h2 className="eyebrow mb-2">{t('Printed')}</h2>
          <pre className="max-h-48 overflow-auto rounded-md border border-line bg-sunken px-3 py-2 font-mono text-xs leading-5 whitespace-pre-wrap">
            {logs.join('\n')}
          </pre>
        </section>
      )}
      <section aria-label={t('Output')}>
        <h2 className="eyebrow mb-2 flex items-center gap-2">
          {t('Output')}
          {result.isError && <Badge tone="bad">{t('an error')}</Badge>}
        </h2>
        <JsonView value={result.structuredContent ?? result.content} label={t('answer')} />
      </section>
    </div>
  )
}
