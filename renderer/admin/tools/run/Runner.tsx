// Tries a tool: arguments by form or as JSON, as oneself or as a key, for real or up to the point of sending.
import { useMutation, useQuery } from '@tanstack/react-query'
import { Play } from 'lucide-react'
import { useState } from 'react'
import type { TestResult, ToolDetail } from '#contract'
import { api } from '../../../api/api.ts'
import { Button } from '../../../ui/Button.tsx'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { ErrorNote } from '../../../ui/ErrorState.tsx'
import { Select } from '../../../ui/Select.tsx'
import { SchemaForm } from '../../../ui/schema-form/SchemaForm.tsx'
import { isRecord } from '../../../ui/schema-form/shape.ts'
import { TextArea } from '../../../ui/TextArea.tsx'
import { Answer } from './Answer.tsx'
import { sampleOf } from './sample.ts'

const SELF = 'self'

export function Runner({ tool }: { readonly tool: ToolDetail }) {
  const [args, setArgs] = useState<Readonly<Record<string, unknown>>>(() => sampleOf(tool.inputSchema))
  const [mode, setMode] = useState<'form' | 'json'>('form')
  const [dryRun, setDryRun] = useState(false)
  const [confirm, setConfirm] = useState(false)
  const [keyId, setKeyId] = useState(SELF)
  const run = useMutation({
    mutationFn: (): Promise<TestResult> =>
      api.tools.test({
        params: { name: tool.client, tool: tool.tool },
        body: {
          args: { ...args, ...(confirm ? { __confirm: true } : {}) },
          dryRun,
          ...(keyId === SELF ? {} : { keyId: Number(keyId) }),
        },
      }),
  })
  return (
    <div className="grid min-h-full xl:grid-cols-2 xl:divide-x xl:divide-line">
      <form
        // A call that lacks something may be sent: what the gateway says to it is worth knowing.
        noValidate
        className="flex flex-col gap-5 px-6 py-5"
        onSubmit={(event) => {
          event.preventDefault()
          run.mutate()
        }}
      >
        <div role="radiogroup" aria-label="Arguments as" className="flex gap-1">
          {(['form', 'json'] as const).map((each) => (
            <Button
              key={each}
              size="sm"
              role="radio"
              aria-checked={mode === each}
              look={mode === each ? 'plain' : 'quiet'}
              onClick={() => setMode(each)}
            >
              {each === 'form' ? 'Form' : 'JSON'}
            </Button>
          ))}
        </div>
        {mode === 'form' ? (
          <SchemaForm
            key={tool.schemaHash}
            schema={tool.inputSchema}
            value={args}
            onChange={(next) => setArgs(isRecord(next) ? next : {})}
          />
        ) : (
          <RawArguments args={args} onChange={setArgs} />
        )}
        <div className="grid grid-cols-2 items-end gap-4 border-t border-line pt-4">
          <AsKey value={keyId} onChange={setKeyId} />
          <div className="flex flex-col gap-2">
            {tool.sensitive && <Checkbox label="Confirm: it is sensitive" checked={confirm} onChange={setConfirm} />}
            <Checkbox label="Stop before it is sent" checked={dryRun} onChange={setDryRun} />
          </div>
        </div>
        {run.error && <ErrorNote error={run.error} />}
        <div>
          <Button type="submit" look="strong" busy={run.isPending}>
            <Play />
            {dryRun ? 'Check the call' : 'Call the tool'}
          </Button>
        </div>
      </form>
      <div aria-live="polite" className="min-w-0 bg-canvas">
        {run.data ? (
          <Answer answer={run.data} />
        ) : (
          <EmptyState
            icon={Play}
            title="The answer appears here"
            about="With every layer it passed, how long each took, and which one refused it."
          />
        )}
      </div>
    </div>
  )
}

function RawArguments({
  args,
  onChange,
}: {
  readonly args: Readonly<Record<string, unknown>>
  readonly onChange: (args: Readonly<Record<string, unknown>>) => void
}) {
  const [text, setText] = useState(() => JSON.stringify(args, null, 2))
  const [problem, setProblem] = useState<string>()
  return (
    <TextArea
      label="Arguments"
      rows={14}
      value={text}
      error={problem}
      onChange={(event) => {
        setText(event.target.value)
        try {
          const value: unknown = JSON.parse(event.target.value)
          setProblem(isRecord(value) ? undefined : 'Arguments are an object')
          if (isRecord(value)) onChange(value)
        } catch {
          setProblem('This is not JSON yet')
        }
      }}
    />
  )
}

/** Policies are tested by calling as somebody they bind. */
function AsKey({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  const list = useQuery({
    queryKey: ['keys', 'choice'],
    queryFn: () => api.mcpKeys.list({ query: { limit: '200', active: 'true' } }),
  })
  return (
    <Select
      label="As"
      value={value}
      options={[
        { value: SELF, label: 'Yourself' },
        ...(list.data?.items ?? []).map(({ id, label, keyPrefix }) => ({
          value: String(id),
          label,
          about: `${keyPrefix}…`,
        })),
      ]}
      onChange={onChange}
    />
  )
}
