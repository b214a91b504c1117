// Copies the open graph, with the graphs it embeds, to another editor.
import { useQueries, useQuery } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import { useMemo, useState } from 'react'
import { GraphCopyInput, type PcgEditor } from '#contract'
import type { InspectionOutput } from '#pcg-catalog'
import type { TransferReport } from '#pcg-contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { rich } from '../../language/rich.tsx'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { type Draft, formOf, textIn } from '../../ui/form/fields.ts'
import { RecordForm } from '../../ui/form/RecordForm.tsx'
import { counted } from '../../ui/format.ts'
import { useChanges } from '../../ui/use-records.ts'
import { useUrlParams } from '../../url-params.ts'
import { useBench } from '../canvas/bench.ts'
import { reasonAgainst } from '../editor/capabilities.ts'
import { editorsQuery, graphsQuery } from '../editor/queries.ts'
import { nameOf } from '../model/edits.ts'
import { BetweenEditors, EditorField, editorIn } from './BetweenEditors.tsx'
import { Report } from './Report.tsx'
import { Working } from './Working.tsx'

const ABOUT = t('With the graphs it embeds, its parameters, comments and positions. It arrives whole or not at all.')
const NONE = {
  title: t('There is no other editor'),
  about: t('Add an Unreal editor, or a second built-in one, to copy graphs to it.'),
}

export function CopyGraph({ onClose }: { readonly onClose: () => void }) {
  const { editor, view } = useBench()
  const { data = [] } = useQuery(editorsQuery)
  const others = data.filter(({ name }) => name !== editor)
  return (
    <BetweenEditors
      title={t('Copy {name} to another editor', { name: nameOf(view.path) })}
      about={ABOUT}
      others={others}
      none={NONE}
      onClose={onClose}
    >
      <CopyForm editor={editor} graph={view.path} others={others} onClose={onClose} />
    </BetweenEditors>
  )
}

type Known = InspectionOutput<'list_pcg_graphs'>['graphs'][number]
/** The graph at a path; undefined without one, null until the graphs of that editor are known. */
type Find = (editor: unknown, path: string) => Known | undefined | null

function useGraphsOf(editors: readonly PcgEditor[]): Find {
  const reachable = editors.filter((editor) => reasonAgainst(editor, 'listGraphs') === null)
  const lists = useQueries({ queries: reachable.map(({ name }) => graphsQuery(name)) })
  return (editor, path) => {
    const list = lists[reachable.findIndex(({ name }) => name === editor)]?.data
    if (!list) return null
    return list.graphs.find(({ asset_path }) => asset_path.toLowerCase() === path.toLowerCase())
  }
}

type FormProps = {
  readonly editor: string
  readonly graph: string
  readonly others: readonly PcgEditor[]
  readonly onClose: () => void
}

function useCopyForm(graph: string, others: readonly PcgEditor[]) {
  const find = useGraphsOf(others)
  const pathIn = ({ path }: Draft): string => textIn(path).trim() || graph
  const there = (draft: Draft) => find(draft.to, pathIn(draft))
  return formOf(GraphCopyInput, {
    to: {
      label: t('To'),
      resets: ['replace'],
      check: ({ to }) => reasonAgainst(editorIn(others, to), 'edit') ?? undefined,
      draw: (control) => <EditorField {...control} label={t('To')} editors={others} />,
    },
    path: {
      label: t('Path there'),
      code: true,
      mono: true,
      resets: ['replace'],
      placeholder: graph,
      hint: t('Empty: the same path.'),
    },
    replace: {
      label: t('Replace it'),
      when: (draft) => reasonAgainst(editorIn(others, draft.to), 'edit') === null && there(draft) !== undefined,
      check: (draft) => (there(draft) && draft.replace !== true ? t('is required') : undefined),
      draw: ({ draft, value, disabled, onChange }) => (
        <Replacing
          path={pathIn(draft)}
          editor={textIn(draft.to)}
          known={there(draft)}
          agreed={value === true}
          disabled={disabled}
          onChange={onChange}
        />
      ),
      write: (value) => value === true,
    },
  })
}

function CopyForm({ editor, graph, others, onClose }: FormProps) {
  const form = useCopyForm(graph, others)
  const { settled } = useChanges('pcg')
  const [, change] = useUrlParams()
  const [to, setTo] = useState<string | null>(null)
  const fresh = useMemo(() => ({ graph, to: (others.find(isThere) ?? others[0])?.name }), [graph, others])
  const copy = async (body: GraphCopyInput) => {
    setTo(body.to)
    try {
      const report = await settled(api.pcg.copyGraph({ params: { name: editor }, body }))
      return { report, to: body.to }
    } finally {
      setTo(null)
    }
  }
  return (
    <RecordForm
      form={form}
      fresh={fresh}
      draftName={`${editor} ${graph}`}
      submit={t('Copy graph')}
      once
      onSubmit={copy}
      onClose={onClose}
      renderDone={(answer) => (
        <Copied
          {...answer}
          onOpen={() => {
            onClose()
            change({ editor: answer.to, graph: answer.report.graph, via: undefined })
          }}
          onClose={onClose}
        />
      )}
    >
      {() => to !== null && <Working label={t('Copying')} from={editor} to={to} />}
    </RecordForm>
  )
}

const isThere = (editor: PcgEditor): boolean => reasonAgainst(editor, 'edit') === null

function Replacing({
  path,
  editor,
  known,
  agreed,
  disabled,
  onChange,
}: {
  readonly path: string
  readonly editor: string
  readonly known: Known | undefined | null
  readonly agreed: boolean
  readonly disabled: boolean
  readonly onChange: (agreed: boolean) => void
}) {
  if (!known)
    return (
      <Checkbox label={t('Replace a graph at this path')} checked={agreed} disabled={disabled} onChange={onChange} />
    )
  const what =
    known.node_count === null
      ? t('an instance')
      : t('a graph with {nodes}', { nodes: counted(known.node_count, 'node') })
  return (
    <div className="flex flex-col gap-2 rounded-md bg-warn-soft px-3 py-2.5 text-sm">
      <p role="alert" className="flex gap-2 wrap-anywhere">
        {rich('{trianglealert}{path} exists in {editor}: {what}. A version of it is stored before it is replaced.', {
          trianglealert: <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />,
          path,
          editor,
          what,
        })}
      </p>
      <Checkbox label={t('Replace it')} checked={agreed} disabled={disabled} onChange={onChange} />
    </div>
  )
}

const OUTCOMES = { created: t('Created'), replaced: t('Replaced'), kept: t('Kept') } as const

function lineOf({ to, outcome, nodes, edges, parameters, comments }: TransferReport['graphs'][number]): string {
  if (outcome === 'kept') return t('Kept {to}, which was there already', { to })
  const parts = [counted(nodes, 'node'), counted(edges, 'edge'), counted(parameters, 'parameter')]
  return `${OUTCOMES[outcome]} ${to}: ${[...parts, counted(comments, 'comment')].join(', ')}`
}

function Copied({
  report: { graph, graphs, lost },
  to,
  onOpen,
  onClose,
}: {
  readonly report: TransferReport
  readonly to: string
  readonly onOpen: () => void
  readonly onClose: () => void
}) {
  return (
    <Report
      done={t('{name} is in {to}', { name: nameOf(graph), to })}
      lines={graphs.map(lineOf)}
      missing={lost.map(({ item, reason, graph: where }) => ({
        item,
        reason,
        ...(graphs.length > 1 && { where: nameOf(where) }),
      }))}
      complete={t('Everything arrived.')}
      action={<Button onClick={onOpen}>{t('Open in {to}', { to })}</Button>}
      onClose={onClose}
    />
  )
}
