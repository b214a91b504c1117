// The fields of a kind of source, with name and credential of the backend.

import { ArrowLeft, Eye } from 'lucide-react'
import { Fragment, useState } from 'react'
import { mayUse } from '#contract'
import { useActor } from '../../api/session.ts'
import { t } from '../../language/language.ts'
import { BusyFieldset } from '../../ui/BusyFieldset.tsx'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { Field, TextArea } from '../../ui/Field.tsx'
import { fieldProblem } from '../../ui/fault.ts'
import { Select } from '../../ui/Select.tsx'
import { submitting } from '../../ui/submitting.ts'
import { useKeptState } from '../../ui/use-kept-state.ts'
import { type CredentialDraft, CredentialFields, draftOf } from '../backends/CredentialFields.tsx'
import type { LocalService } from '../backends/local-service.ts'
import { AllowLocal, refusedUrl } from './AllowLocal.tsx'
import {
  type Draft,
  emptyDraft,
  type FieldRow,
  type Payload,
  payloadOf,
  type SourceRow,
  suggestedName,
  urlIn,
} from './sources.ts'

export type Filled = {
  /** Empty: it is suggested from the source. */
  readonly name: string
  readonly draft: Draft
  readonly payload: Payload
  readonly credential: CredentialDraft
  /** Allowed for this backend. */
  readonly local?: LocalService | undefined
}

const TRANSPORTS = [
  { value: 'streamable-http', label: t('Streamable HTTP'), about: t('The current transport') },
  { value: 'sse', label: t('HTTP with SSE'), about: t('The older transport, for servers without Streamable HTTP') },
] as const

const ERAS = [
  { value: 'auto', label: t('Automatic'), about: t('The era of each client, where the server supports both') },
  { value: 'modern', label: '2026-07-28', about: t('Questions to the client are rounds of a call') },
  { value: 'legacy', label: t('2025-11-25 and older'), about: t('Questions to the client are pushed in a session') },
] as const

export function SourceStep({
  source,
  before,
  busy,
  error,
  onBack,
  onLook,
}: {
  readonly source: SourceRow
  readonly before: Filled | null
  readonly busy: boolean
  readonly error: unknown
  readonly onBack: () => void
  readonly onLook: (filled: Filled) => void
}) {
  const actor = useActor()
  const { state: draft, setState: setDraft } = useKeptState<Draft>(
    before ? undefined : t('source {key}', { key: source.key }),
    before?.draft ?? emptyDraft(source),
  )
  const [ownName, setOwnName] = useState(before?.name ?? '')
  const [credential, setCredential] = useState(before?.credential ?? draftOf('none'))
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({})

  function look(local?: LocalService) {
    const read = payloadOf(source, draft)
    setProblems('problems' in read ? read.problems : {})
    if ('payload' in read) onLook({ name: ownName, draft, payload: read.payload, credential, local })
  }

  const refused = refusedUrl(
    error,
    source.key === 'openapi' ? draft : { ...draft, base_url: draft.base_url || urlIn(draft) },
  )
  return (
    <form className="grid max-w-2xl gap-4" onSubmit={submitting(() => look())}>
      <BusyFieldset busy={busy} className="grid gap-4">
        {source.fields.map((row) => (
          <Fragment key={row.key}>
            <Input
              row={row}
              value={draft[row.key] ?? ''}
              problem={problems[row.key] ?? fieldProblem(error, row.key)}
              onChange={(value) => setDraft({ ...draft, [row.key]: value })}
            />
            {refused?.key === row.key && <AllowLocal url={refused.url} busy={busy} onAllow={look} />}
          </Fragment>
        ))}
        <Field
          label={t('Name')}
          value={ownName}
          placeholder={suggestedName(draft) || 'petstore'}
          hint={t('Used in its address, /mcp/<name>, and in tool names of bundles. Empty: suggested from the source.')}
          spellCheck={false}
          onChange={(event) => setOwnName(event.target.value.trim())}
          error={fieldProblem(error, 'name')}
        />
        {mayUse(actor, 'admin') && source.key !== 'curl' && (
          <CredentialFields draft={credential} onChange={setCredential} />
        )}
      </BusyFieldset>
      {error !== null && error !== undefined && <ErrorNote error={error} />}
      {refused && !source.fields.some(({ key }) => key === refused.key) && (
        <AllowLocal url={refused.url} busy={busy} onAllow={look} />
      )}
      <StepButtons busy={busy} onBack={onBack} />
    </form>
  )
}

function StepButtons({ busy, onBack }: { readonly busy: boolean; readonly onBack: () => void }) {
  return (
    <div className="mt-2 flex gap-2">
      <Button onClick={onBack}>
        <ArrowLeft />
        {t('Other source')}
      </Button>
      <Button type="submit" look="strong" busy={busy}>
        <Eye />
        {t('Preview tools')}
      </Button>
    </div>
  )
}

function Input({
  row: { label, kind, hint, placeholder, optional },
  value,
  problem,
  onChange,
}: {
  readonly row: FieldRow
  readonly value: string | boolean
  readonly problem: string | undefined
  readonly onChange: (value: string | boolean) => void
}) {
  if (kind === 'flag') return <Checkbox label={label} checked={value === true} onChange={onChange} />
  const text = String(value)
  if (kind === 'transport')
    return (
      <Select
        label={label}
        value={text === 'sse' ? 'sse' : 'streamable-http'}
        options={TRANSPORTS}
        onChange={onChange}
      />
    )
  if (kind === 'era')
    return (
      <Select
        label={label}
        value={ERAS.find(({ value }) => value === text)?.value ?? 'auto'}
        options={ERAS}
        onChange={onChange}
      />
    )
  const common = {
    label: optional ? t('{label} (optional)', { label }) : label,
    value: text,
    placeholder,
    hint,
    error: problem,
  }
  return kind === 'area' ? (
    <TextArea {...common} rows={10} onChange={(event) => onChange(event.target.value)} />
  ) : (
    <Field
      {...common}
      spellCheck={false}
      inputMode={kind === 'url' ? 'url' : 'text'}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}
