// The graphs of a project: open, search, create.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { FilePlus2, Workflow } from 'lucide-react'
import { useRef, useState } from 'react'
import { STARTERS } from '#pcg-catalog'
import { t } from '../../language/language.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorNote, ErrorState } from '../../ui/ErrorState.tsx'
import { Field } from '../../ui/Field.tsx'
import { notifyError } from '../../ui/notify.ts'
import { SearchInput } from '../../ui/SearchInput.tsx'
import { Select } from '../../ui/Select.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { useUrlParams } from '../../url-params.ts'
import { callTool } from '../editor/calls.ts'
import { graphsQuery } from '../editor/queries.ts'
import { pasting } from '../model/clipboard.ts'
import { starterClip } from '../model/starters.ts'
import type { PanelProps } from '../panels.ts'
import { gesturesOf } from '../use-gestures.ts'

export function GraphsPanel({ editor, graph }: PanelProps) {
  const graphs = useQuery(graphsQuery(editor))
  const [, change] = useUrlParams()
  const [word, setWord] = useState('')
  const [making, setMaking] = useState(false)
  if (graphs.isError && !graphs.data) return <ErrorState error={graphs.error} onRetry={() => void graphs.refetch()} />
  if (!graphs.data) return <Skeleton className="m-3 h-24" />
  const shown = graphs.data.graphs.filter(({ asset_path }) => asset_path.toLowerCase().includes(word.toLowerCase()))
  return (
    <div className="flex flex-col gap-2 px-3 pb-3">
      <div className="flex items-center gap-1">
        <SearchInput label={t('Find a graph')} value={word} onChange={setWord} width="w-full" />
        <IconButton
          label={t('New graph')}
          title={t('New graph')}
          onClick={() => setMaking(!making)}
          aria-expanded={making}
        >
          <FilePlus2 />
        </IconButton>
      </div>
      {making && (
        <NewGraph
          editor={editor}
          onMade={(made) => {
            setMaking(false)
            change({ graph: made, via: undefined })
          }}
        />
      )}
      {graphs.data.graphs.length === 0 && !making ? (
        <NoGraphs onNew={() => setMaking(true)} />
      ) : (
        <ul className="flex flex-col">
          {shown.map(({ asset_path, kind, node_count }) => (
            <li key={asset_path}>
              <button
                type="button"
                aria-current={asset_path === graph || undefined}
                disabled={kind === 'instance'}
                title={
                  kind === 'instance'
                    ? t('A graph instance has values but no nodes: open the graph it is of')
                    : undefined
                }
                onClick={() => change({ graph: asset_path, via: undefined })}
                className={cx(
                  'flex w-full items-baseline gap-2 rounded-md px-2 py-1.5 text-left text-sm enabled:hover:bg-hover disabled:text-ink-3',
                  asset_path === graph && 'bg-pressed font-medium',
                )}
              >
                <span className="truncate">{asset_path.slice(asset_path.lastIndexOf('/') + 1)}</span>
                <span className="grow truncate text-2xs text-ink-3">
                  {asset_path.slice(0, asset_path.lastIndexOf('/'))}
                </span>
                <span className="shrink-0 text-2xs text-ink-3">{kind === 'instance' ? t('instance') : node_count}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      {graphs.data.unreadable.map(({ file, reason }) => (
        <p key={file} className="text-xs text-bad">
          {file}: {reason}
        </p>
      ))}
    </div>
  )
}

function NoGraphs({ onNew }: { readonly onNew: () => void }) {
  return (
    <EmptyState
      icon={Workflow}
      title={t('No graph yet')}
      about={t('A graph places points, filters them and spawns meshes on them.')}
      action={
        <Button look="strong" onClick={onNew}>
          {t('New graph')}
        </Button>
      }
    />
  )
}

const EMPTY = { value: '', label: t('An empty graph') }
const BEGINNINGS = STARTERS.map(({ id, name }) => ({ value: id, label: name }))

function NewGraph({ editor, onMade }: { readonly editor: string; readonly onMade: (path: string) => void }) {
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [folder, setFolder] = useState('/Game/PCG')
  const [start, setStart] = useState(EMPTY.value)
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const chosen = STARTERS.find(({ id }) => id === start)
  async function make(): Promise<void> {
    setBusy(true)
    try {
      const { asset_path } = await callTool(editor, 'create_pcg_graph', { name, package_path: folder })
      // The graph exists even if adding the starter fails; the starter is a separate step that can be undone.
      if (chosen)
        await gesturesOf(queries, editor, asset_path)
          .perform(
            pasting(
              starterClip(chosen),
              { path: asset_path },
              t('Begin with {name}', { name: chosen.name }),
              { x: 0, y: 0 },
              () => crypto.randomUUID(),
              () => undefined,
            ),
          )
          .catch(notifyError)
      await queries.invalidateQueries({ queryKey: graphsQuery(editor).queryKey })
      // Does not navigate if the user closed the dialog or opened another graph in the meantime.
      if (form.current) onMade(asset_path)
    } catch (problem) {
      setError(problem)
    } finally {
      setBusy(false)
    }
  }
  return (
    <form
      ref={form}
      aria-label={t('New graph')}
      className="flex flex-col gap-2 rounded-md border border-line p-2"
      onSubmit={(event) => {
        event.preventDefault()
        void make()
      }}
    >
      <Field label={t('Name')} required autoFocus value={name} onChange={(event) => setName(event.target.value)} />
      <Field label={t('Folder')} required value={folder} onChange={(event) => setFolder(event.target.value)} />
      <Select label={t('Start from')} value={start} options={[EMPTY, ...BEGINNINGS]} onChange={setStart} />
      {chosen !== undefined && <p className="text-xs text-ink-2">{chosen.about}</p>}
      {error !== null && <ErrorNote error={error} />}
      <Button type="submit" look="strong" size="sm" busy={busy} disabled={name === ''}>
        {t('Create graph')}
      </Button>
    </form>
  )
}
