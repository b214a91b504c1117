// How a tool is listed: its name, title, description, the words on its arguments and its hints, in place of the source's.
import { useMutation } from '@tanstack/react-query'
import type { ToolDetail } from '#contract'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Field } from '../../ui/Field.tsx'
import { fieldProblem } from '../../ui/fault.ts'
import { notifyDone } from '../../ui/notify.ts'
import { SaveBar } from '../../ui/SaveBar.tsx'
import { Select } from '../../ui/Select.tsx'
import { TextArea } from '../../ui/TextArea.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { HINT_WORDS } from './hint-words.ts'
import { HINTS, type ListingDraft, listingChangeOf, listingOf } from './listing-draft.ts'
import { argumentsOf } from './tool-arguments.ts'
import { useToolChanges } from './use-tool-changes.ts'

export function Listing({ tool, readOnly }: { readonly tool: ToolDetail; readonly readOnly: boolean }) {
  const { update } = useToolChanges()
  const kept = useDraft(tool, listingOf)
  const { base, before, draft, setDraft } = kept
  const { patch, problems } = listingChangeOf(before, draft)
  const save = useMutation({
    mutationFn: async () => {
      const changed = await kept.save(update(base, patch))
      const { patch: back } = listingChangeOf(listingOf(changed), before)
      notifyDone(`${tool.tool} is listed in other words`, () => update(changed, back))
    },
  })
  const changed = Object.keys(patch).length > 0
  const ready = changed && Object.keys(problems).length === 0
  const drawn: Drawn = {
    tool,
    draft,
    change: (next) => setDraft({ ...draft, ...next }),
    problemOf: (path) => problems[path] ?? fieldProblem(save.error, path),
  }
  return (
    <form
      className="grid max-w-3xl gap-5 px-6 py-5"
      onSubmit={(event) => {
        event.preventDefault()
        if (ready && !kept.contested) save.mutate()
      }}
    >
      <p className="text-sm text-ink-2">
        What stands here is listed in place of what the source says. What is left empty is the source’s own; a call is
        sent to it as before.
      </p>
      <fieldset disabled={readOnly} className="grid gap-5">
        <Names {...drawn} />
        <Words {...drawn} />
        <Hints {...drawn} />
        <Output {...drawn} />
      </fieldset>
      <SaveBar
        kept={kept}
        what={tool.tool}
        changed={changed}
        ready={ready}
        busy={save.isPending}
        error={save.error}
        readOnly={readOnly}
        onDiscard={() => setDraft(before)}
      />
    </form>
  )
}

type Drawn = {
  readonly tool: ToolDetail
  readonly draft: ListingDraft
  readonly change: (next: Partial<ListingDraft>) => void
  readonly problemOf: (path: string) => string | undefined
}

function Names({ tool, draft, change, problemOf }: Drawn) {
  return (
    <>
      <div className="grid grid-cols-2 gap-4">
        <Field
          label="Its name here"
          value={draft.alias}
          spellCheck={false}
          placeholder={tool.tool}
          hint="Replaces the name in lists; the old one stays callable."
          onChange={(event) => change({ alias: event.target.value })}
          error={problemOf('overrides.displayName')}
        />
        <Field
          label="Its title here"
          value={draft.title}
          placeholder={draft.title === '' ? tool.title : ''}
          hint="What people read in a client."
          onChange={(event) => change({ title: event.target.value })}
          error={problemOf('overrides.title')}
        />
      </div>
      <TextArea
        label="Its description here"
        hint="By this a model decides whether to use it."
        value={draft.description}
        rows={4}
        placeholder={tool.upstreamDescription}
        onChange={(event) => change({ description: event.target.value })}
        error={problemOf('overrides.description')}
      />
    </>
  )
}

function Words({ tool, draft, change, problemOf }: Drawn) {
  const known = argumentsOf(tool)
  const names = Object.keys(draft.params)
  if (names.length === 0) return null
  return (
    <section aria-label="Words on its arguments" className="card">
      <h2 className="border-b border-line px-5 py-2.5 text-sm font-semibold">Words on its arguments</h2>
      <ul className="divide-y divide-line">
        {names.map((name) => {
          const own = known.find((argument) => argument.name === name)
          return (
            <li key={name} className="grid grid-cols-[14rem_1fr] gap-4 px-5 py-3">
              <span className="min-w-0 pt-1.5">
                <code className="font-mono text-xs font-medium break-all">{name}</code>
                <span className="mt-0.5 block text-xs text-ink-3">
                  {own ? own.type : 'The source has dropped it; the words stay until you empty them.'}
                </span>
              </span>
              <TextArea
                label={`Words on ${name}`}
                hideLabel
                rows={2}
                className="min-h-0!"
                value={draft.params[name] ?? ''}
                placeholder={own?.description || 'none'}
                onChange={(event) => change({ params: { ...draft.params, [name]: event.target.value } })}
                error={problemOf(`overrides.params.${name}.description`)}
              />
            </li>
          )
        })}
      </ul>
    </section>
  )
}

/** An MCP tool lists its own; other sources declare none. */
function Output({ tool, draft, change }: Drawn) {
  if (tool.kind !== 'rest' || tool.outputSchema === null) return null
  return (
    <section aria-label="Output schema" className="card grid gap-1 px-5 py-4">
      <Checkbox
        label="List the output schema"
        checked={draft.outputSchema}
        onChange={(outputSchema) => change({ outputSchema })}
      />
      <p className="text-xs text-ink-2">
        Clients reject results that do not match it. It is not listed while a feature of the tool changes its results.
      </p>
    </section>
  )
}

function Hints({ tool, draft, change }: Drawn) {
  const gated = tool.sensitive || tool.requiresApproval
  return (
    <section aria-label="Hints" className="card px-5 py-4">
      <h2 className="text-sm font-semibold">Hints</h2>
      <p className="mt-0.5 mb-3 text-xs text-ink-2">
        What clients are told of what a call does; many ask before one that writes.
        {gated &&
          ' A tool that is sensitive or waits for a person is told as writing and destructive, whatever stands here.'}
      </p>
      <div className="grid grid-cols-2 gap-4">
        {HINTS.map((hint) => {
          const { title, yes, no } = HINT_WORDS[hint]
          return (
            <Select
              key={hint}
              label={title}
              value={draft.hints[hint]}
              options={[
                { value: 'own', label: 'As the gateway finds it' },
                { value: 'yes', label: yes },
                { value: 'no', label: no },
              ]}
              onChange={(choice) => change({ hints: { ...draft.hints, [hint]: choice } })}
            />
          )
        })}
      </div>
    </section>
  )
}
