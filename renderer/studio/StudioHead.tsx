// The bar above the canvas: editor and its state, open graph, present authors, the agent's last turn.
import type { PcgEditor } from '#contract'
import { t } from '../language/language.ts'
import { Badge, type Tone } from '../ui/Badge.tsx'
import { Select } from '../ui/Select.tsx'
import { Tooltip } from '../ui/Tooltip.tsx'
import { wireWord } from '../ui/wire-words.ts'
import { useUrlParams } from '../url-params.ts'
import { EditorMenu } from './collaboration/EditorMenu.tsx'
import { RunningCalls, UndoAgent } from './collaboration/Presence.tsx'
import { GenerateBar } from './generate/GenerateBar.tsx'

const TONES: Readonly<Record<PcgEditor['status'], Tone>> = {
  connected: 'ok',
  busy: 'info',
  connecting: 'neutral',
  disconnected: 'warn',
  error: 'bad',
}

export function StudioHead({
  editors,
  editor,
  graph,
}: {
  readonly editors: readonly PcgEditor[]
  readonly editor: PcgEditor
  readonly graph: string | null
}) {
  const [, change] = useUrlParams()
  const choose = (name: string): void => change({ editor: name, graph: undefined, via: undefined })
  return (
    <header className="flex h-12 shrink-0 items-center gap-2 border-b border-line px-4">
      {/* The breadcrumb above already shows the page's name. */}
      <h1 className="sr-only">{t('PCG studio')}</h1>
      <Select
        label={t('Editor')}
        hideLabel
        className="w-36 shrink-0"
        value={editor.name}
        options={editors.map(({ name, driver, status, project }) => ({
          value: name,
          label: name,
          about: [driver, status, project].filter(Boolean).join(' · '),
        }))}
        onChange={choose}
      />
      <Tooltip text={<State editor={editor} />}>
        <span tabIndex={0} className="rounded">
          <Badge tone={TONES[editor.status]} dot>
            {wireWord(editor.status)}
          </Badge>
        </span>
      </Tooltip>
      <EditorMenu editor={editor} onAdded={choose} />
      {graph !== null && (
        <p title={graph} className="min-w-0 grow truncate text-sm font-medium">
          <span className="sr-only">{graph.slice(0, graph.lastIndexOf('/') + 1)}</span>
          {graph.slice(graph.lastIndexOf('/') + 1)}
        </p>
      )}
      {graph === null && <div className="grow" />}
      <RunningCalls key={editor.name} editor={editor.name} />
      {graph !== null && <UndoAgent editor={editor.name} graph={graph} />}
      <GenerateBar key={`${editor.name} ${graph ?? ''}`} editor={editor.name} graph={graph} />
    </header>
  )
}

function State({ editor }: { readonly editor: PcgEditor }) {
  const { status, error, project, level, engine, driver, latencyMs, queue } = editor
  const rows = [
    [t('Driver'), driver],
    [t('Project'), project],
    [t('Level'), level],
    [t('Engine'), engine],
    [t('Answers in'), latencyMs === null ? null : `${latencyMs} ms`],
    [t('Running'), queue.running],
    [t('Waiting'), queue.waiting === 0 ? null : String(queue.waiting)],
  ] as const
  return (
    <div className="py-1">
      {status === 'busy' && <p className="mb-1">{t('The editor is busy. Calls wait in order.')}</p>}
      {error !== null && <p className="mb-1 text-bad">{error}</p>}
      <dl className="grid grid-cols-[auto_1fr] gap-x-3">
        {rows.map(([name, value]) =>
          value === null ? null : (
            <div key={name} className="contents">
              <dt className="text-ink-3">{name}</dt>
              <dd className="break-all">{value}</dd>
            </div>
          ),
        )}
      </dl>
    </div>
  )
}
