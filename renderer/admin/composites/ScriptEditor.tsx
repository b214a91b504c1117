// The text of a script with its problems, its tools and limits, its output schema, and the types it is written against.

import { type Ref, useRef, useState } from 'react'
import type { ScriptCheck } from '#contract'
import { plural, t } from '../../language/language.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { CodeEditor, type CodeEditorHandle } from '../../ui/CodeEditor.tsx'
import { CodeLines } from '../../ui/CodeLines.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { TextArea } from '../../ui/Field.tsx'
import { formatBytes, formatCount, formatSpan } from '../../ui/format.ts'
import type { CompositeDraft } from './draft.ts'
import { ScriptTools } from './ScriptTools.tsx'
import { completionsOf } from './script-completions.ts'
import { type ScriptChecked, useScriptCheck } from './use-script-check.ts'

type Problem = ScriptCheck['problems'][number]
type EditorProps = {
  readonly draft: CompositeDraft
  readonly readOnly: boolean
  readonly problem: (path: string) => string | undefined
  readonly onChange: (draft: CompositeDraft) => void
}

const FIRST_OUTPUT = JSON.stringify({ type: 'object', properties: {}, required: [] }, null, 2)

export function ScriptEditor({ draft, readOnly, problem, onChange }: EditorProps) {
  const editor = useRef<CodeEditorHandle>(null)
  const check = useScriptCheck(draft)
  const set = (change: Partial<CompositeDraft>): void => onChange({ ...draft, ...change })
  return (
    <div className="@container">
      <div className="flex flex-col gap-4 @4xl:grid @4xl:grid-cols-[minmax(0,1fr)_19rem] @4xl:items-start">
        <div className="flex min-w-0 flex-col gap-4">
          <Text
            draft={draft}
            readOnly={readOnly}
            problem={problem('script.source')}
            check={check}
            ref={editor}
            set={set}
          />
          <Problems check={check} onShow={(place) => editor.current?.show(place)} />
          <OutputSchema draft={draft} readOnly={readOnly} problem={problem('script.outputSchema')} set={set} />
          {check.data && <Types text={check.data.types} />}
        </div>
        <div className="flex flex-col gap-4">
          <ScriptTools
            steps={draft.steps}
            readOnly={readOnly}
            problem={problem('steps')}
            onChange={(steps) => set({ steps })}
          />
          {check.data && <Limits limits={check.data.limits} />}
        </div>
      </div>
    </div>
  )
}

type Part = Omit<EditorProps, 'problem' | 'onChange'> & {
  readonly problem: string | undefined
  readonly set: (change: Partial<CompositeDraft>) => void
}

function Text({
  draft,
  readOnly,
  problem,
  check,
  ref,
  set,
}: Part & { readonly check: ScriptChecked; readonly ref: Ref<CodeEditorHandle> }) {
  const marks = new Map<number, Problem['severity']>()
  for (const { line, severity } of check.data?.problems ?? [])
    if (marks.get(line) !== 'error') marks.set(line, severity)
  return (
    <CodeEditor
      ref={ref}
      label={t('TypeScript')}
      value={draft.script ?? ''}
      readOnly={readOnly}
      error={problem}
      marks={marks}
      completions={completionsOf(draft)}
      hint={t('Ctrl+Space completes. Escape, then Tab leaves the editor. A saved change needs a new approval.')}
      onChange={(script) => set({ script })}
    />
  )
}

function Problems({ check, onShow }: { readonly check: ScriptChecked; readonly onShow: (place: Problem) => void }) {
  const { data, error, isFetching } = check
  const problems = data?.problems ?? []
  const errors = problems.filter(({ severity }) => severity === 'error').length
  return (
    <section aria-label={t('Problems')} aria-busy={isFetching} className="card flex flex-col gap-2 px-5 py-3">
      <h2 className="flex flex-wrap items-center gap-2 text-sm">
        <span className="eyebrow">{t('Problems')}</span>
        {errors > 0 && <Badge tone="bad">{plural(errors, '{count} error', '{count} errors')}</Badge>}
        {problems.length > errors && (
          <Badge tone="warn">{plural(problems.length - errors, '{count} warning', '{count} warnings')}</Badge>
        )}
        {data && problems.length === 0 && !isFetching && <Badge tone="ok">{t('No problems found')}</Badge>}
        {isFetching && <span className="text-xs text-ink-3">{t('Checking…')}</span>}
      </h2>
      {error && (
        <div className="flex flex-col items-start gap-2">
          <ErrorNote error={error} className="w-full" />
          <Button onClick={() => void check.refetch()}>{t('Try again')}</Button>
        </div>
      )}
      {problems.length > 0 && (
        <ul className="flex flex-col">
          {problems.map((each) => (
            <li key={`${each.line}:${each.column}:${each.message}`}>
              <button
                type="button"
                className="flex w-full items-baseline gap-3 rounded-md px-2 py-1 text-left text-sm hover:bg-hover"
                onClick={() => onShow(each)}
              >
                <span
                  className={
                    each.severity === 'error' ? 'shrink-0 font-medium text-bad' : 'shrink-0 font-medium text-warn'
                  }
                >
                  {t('Line {line}', { line: each.line })}
                </span>
                <span className="min-w-0 [overflow-wrap:anywhere]">{each.message}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function OutputSchema({ draft, readOnly, problem, set }: Part) {
  const { outputSchema } = draft
  return (
    <section aria-label={t('Output schema')} className="card flex flex-col gap-3 px-5 py-4">
      <Checkbox
        label={t('Check the result against a schema, which clients see')}
        checked={outputSchema !== null}
        disabled={readOnly}
        onChange={(given) => set({ outputSchema: given ? FIRST_OUTPUT : null })}
      />
      {outputSchema !== null && (
        <TextArea
          label={t('Output schema')}
          value={outputSchema}
          readOnly={readOnly}
          rows={Math.min(16, outputSchema.split('\n').length + 1)}
          error={problem}
          hint={t('A JSON Schema of the type object.')}
          onChange={(event) => set({ outputSchema: event.target.value })}
        />
      )}
    </section>
  )
}

function Limits({ limits }: { readonly limits: ScriptCheck['limits'] }) {
  const rows = [
    [t('Time with its calls'), formatSpan(limits.timeoutMs)],
    [t('Processor time'), formatSpan(limits.cpuMs)],
    [t('Memory'), formatBytes(limits.memoryBytes)],
    [t('Calls'), t('{calls}, {parallel} at once', { calls: formatCount(limits.calls), parallel: limits.parallel })],
  ] as const
  return (
    <section aria-label={t('Limits of a run')} className="card flex flex-col gap-2 px-5 py-4">
      <h2 className="eyebrow">{t('Limits of a run')}</h2>
      <dl className="flex flex-col gap-1 text-sm">
        {rows.map(([name, value]) => (
          <div key={name} className="flex justify-between gap-3">
            <dt className="text-ink-2">{name}</dt>
            <dd className="text-right">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function Types({ text }: { readonly text: string }) {
  const [open, setOpen] = useState(false)
  return (
    <details className="card px-4 py-2 text-sm" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="cursor-pointer">{t('Types of the script and its tools')}</summary>
      {open && (
        <div className="relative mt-2 rounded-md border border-line bg-sunken">
          <div
            role="group"
            aria-label={t('Type declarations')}
            // Scrollable, so it must be focusable.
            tabIndex={0}
            className="max-h-96 overflow-auto py-2.5 pr-10 pl-3 font-mono text-xs leading-5 whitespace-pre"
          >
            <CodeLines text={text} />
          </div>
          <div className="absolute top-1.5 right-1.5">
            <CopyButton text={text} label={t('Copy type declarations')} />
          </div>
        </div>
      )}
    </details>
  )
}
